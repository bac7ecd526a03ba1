/* Code by hand for re-execution, in which every register counts as used: a system call, and
   reservations whose values need a register: int NAME(int *p, int wanted, int instead) */
#if defined __powerpc64__ && _CALL_ELF != 2
#define ENTRY(name) .globl name; .type name, @function; .section .opd,"aw"; .balign 8; \
	name: .quad .L.name,.TOC.@tocbase,0; .previous; .L.name:
#else
#define ENTRY(name) .globl name; .type name, @function; name:
#endif
#if defined __powerpc64__ && _CALL_ELF == 2
	.abiversion 2
#endif
	.text

#ifdef __sparc__
#ifdef __arch64__
#define SYSTEM 0x6d
#define ON_ERROR bcs,pn %xcc,
#else
#define SYSTEM 0x10
#define ON_ERROR bcs
#endif
ENTRY(hand_close)			/* int hand_close(int descriptor): less than 0 on errors */
	mov	6, %g1
	ta	SYSTEM
	ON_ERROR 1f
	 nop
	retl
	 nop
1:	retl
	 sub	%g0, %o0, %o0
#else
ENTRY(hand_close)
	li	0, 6
	sc
	bnslr+
	neg	3, 3
	blr

ENTRY(hand_take)			/* what is loaded is overwritten before the store */
1:	lwarx	6, 0, 3
	subf.	6, 4, 6
	bne-	2f
	stwcx.	5, 0, 3
	bne-	1b
2:	mr	3, 6
	blr

ENTRY(hand_swap)			/* it is there after the store */
1:	lwarx	4, 0, 3
	stwcx.	5, 0, 3
	bne-	1b
	mr	3, 4
	blr
#endif
