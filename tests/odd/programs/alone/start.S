/* Finds out where the program was loaded, has it made ready, runs it, and exits with what it returns. */
	.text
	.globl	_start
#if defined __sparc__
	.type	_start, #function
_start:
	sub	%sp, 192, %sp
	call	1f			! %o7 becomes the address of this call
	 nop
1:	sethi	%pc22(_DYNAMIC+8), %o1
	or	%o1, %pc10(_DYNAMIC+12), %o1
	sethi	%pc22(__ehdr_start+16), %o0
	or	%o0, %pc10(__ehdr_start+20), %o0
#if defined __arch64__
	sra	%o0, 0, %o0
	sra	%o1, 0, %o1
#endif
	add	%o0, %o7, %o0
	add	%o1, %o7, %o1
	call	made_ready
	 nop
	mov	%o0, %g7
	cmp	%o0, 0
#if defined __arch64__
	be	%xcc, 2f
#else
	be	2f
#endif
	 mov	1, %o0
	call	work
	 nop
2:	mov	1, %g1
#if defined __arch64__
	ta	0x6d
#else
	ta	0x10
#endif
#else
	.type	_start, @function
#if defined _CALL_ELF && _CALL_ELF == 1
	.section .opd, "aw"
	.balign	8
_start:	.quad	.L_start, .TOC.@tocbase, 0
	.text
.L_start:
#else
_start:
#endif
#if defined __powerpc64__
	stdu	1, -128(1)
#else
	stwu	1, -64(1)
#endif
	bcl	20, 31, 1f
1:	mflr	31
#if defined __powerpc64__
	addis	2, 31, .TOC.-1b@ha
	addi	2, 2, .TOC.-1b@l
#endif
	addis	4, 31, _DYNAMIC-1b@ha
	addi	4, 4, _DYNAMIC-1b@l
	addis	3, 31, __ehdr_start-1b@ha
	addi	3, 3, __ehdr_start-1b@l
	bl	made_ready
	nop
#if defined __powerpc64__
	mr	13, 3
#else
	mr	2, 3
#endif
	cmpwi	3, 0
	li	3, 1
	beq	2f
	bl	work
	nop
2:	li	0, 1
	sc
#endif
	.section .note.GNU-stack, "", %progbits
