/* Assembly by hand with accesses where a reservation is open: int NAME(int *p, int *q) */
#if !defined __powerpc64__ || _CALL_ELF == 2
#define ENTRY(name) .globl name; .type name, @function; name:
#ifdef __powerpc64__
	.abiversion 2
#endif
#else
#define ENTRY(name) .globl name; .type name, @function; .section .opd,"aw"; .balign 8; \
	name: .quad .L.name,.TOC.@tocbase,0; .previous; .L.name:
#endif
	.text

ENTRY(hand_add)				/* no register is free, and lr is live */
1:	lwarx	5,0,3
	lwz	6,0(4)
	add	5,5,6
	b	3f
2:	mr	3,5
	blr
3:	stw	5,0(4)
	stwcx.	5,0,3
	stw	6,0(4)
	bne-	1b
	b	2b

ENTRY(hand_left)			/* for all that this file says, a store follows elsewhere */
	lwarx	5,0,3
	cmpwi	5,0
	stw	5,0(4)
	mr	3,5
	blr
