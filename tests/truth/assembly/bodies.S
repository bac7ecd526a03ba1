/* Code that macros, loops and conditionals bring, for all targets:
   int body_NAME(int flag, int *words), called with flags 0 and 1 by forms.c.  */
#ifdef __sparc__
#define RETURN retl; nop
	.macro	load to, at
	ld	[%o1+\at], %\to
	.endm
	.macro	store from, at
	st	%\from, [%o1+\at]
	.endm
	.macro	number at	/* ld [%o1+at],%o3 */
	.word	0xd6026000 | \at
	.endm
	.macro	sum with
	add	%o0, %\with, %o0
	.endm
	.macro	forward
	add	%o1, 4, %o1
	.endm
	.macro	repeat count, what:vararg	/* the store is in the slot */
	mov	\count, %o5
again\@:
	\what
	subcc	%o5, 1, %o5
	bne	again\@
	st	%o0, [%o1+64]
	.endm
	.macro	unless_flag what:vararg
	tst	%o0 ; bne,a skip\@
	 ld	[%o1+12], %o0
	\what
skip\@:
	.endm
#define VALUE o3
#define OTHER o4
#else
#define RETURN blr
	.macro	load to, at
	lwz	\to, \at(4)
	.endm
	.macro	store from, at
	stw	\from, \at(4)
	.endm
	.macro	number at	/* lwz 6,at(4) */
	.long	(32 << 26) | (6 << 21) | (4 << 16) | \at
	.endm
	.macro	sum with
	add	3, 3, \with
	.endm
	.macro	forward
	addi	4, 4, 4
	.endm
	.macro	repeat count, what:vararg
	li	0, \count ; mtctr 0
again\@:
	\what
	stw	3, 64(4)
	bdnz	again\@
	.endm
	.macro	unless_flag what:vararg
	cmpwi	3, 0 ; bne skip\@
	\what
skip\@:	lwz	3, 12(4)
	.endm
#define VALUE 6
#define OTHER 7
#endif

	.macro	entry name	/* a function's entry, from where inst has to expand on */
	.globl	\name
	.type	\name, %function
#if defined __powerpc64__ && _CALL_ELF != 2
	.section .opd, "aw"
	.balign	8
\name:	.quad	.L.\name, .TOC.@tocbase, 0
	.previous
.L.\name:
#else
\name:
#endif
	.endm
	.macro	copy from, to, more:vararg
	load	VALUE, \from
	store	VALUE, \to
	.ifnb	\more
	copy	\more
	.else
	.exitm
	.endif
	.endm
	.macro	make name, offset
	.macro	\name
	load	OTHER, \offset
	sum	OTHER
	.endm
	.endm

	.text
	entry body_copy
	copy	4, 40, 8, 44, 12, 48
	.irp	at, 16, 20, 24
	load	VALUE, \at
	sum	VALUE
	.endr
	RETURN

	entry body_loop
	repeat	3, copy 0, 4 ; repeat 2, forward
	number	8
	sum	VALUE
	RETURN

	entry body_choice
	unless_flag copy 8, 36
	.set	depth, 3
	.rept	3
	.if	depth & 1
	load	VALUE, depth * 4
	sum	VALUE
	.else
	number	16
	store	VALUE, 52
	.endif
	.set	depth, depth - 1
	.endr
	make	made, 28
	made ; MADE
	.purgem	made
	RETURN
