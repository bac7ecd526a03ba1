/* Leaf functions and others that keep values in the registers of sites, %g6 and in 32-bit code %g5,
   as any other that a call may change.  Each is passed an array of words. */
#ifdef __arch64__
	.register %g2,#scratch
	.register %g3,#scratch
	.register %g6,#scratch
#define LOAD ldx
#define STORE stx
#define WORD 8
#define ROOM 2047+128
#define FRAME 192
#define SYSTEM_CALL ta 0x6d
#else
#define LOAD ld
#define STORE st
#define WORD 4
#define ROOM 68
#define FRAME 96
#define SYSTEM_CALL ta 0x10
#endif
#define FUNCTION(NAME) .globl NAME; .type NAME,#function; .align 4; NAME:
#define END(NAME) .size NAME,.-NAME

	.text
/* As the value that is loaded and stored, as the base, and only live. */
FUNCTION(in_sequence)
	LOAD	[%o0], %g6
	add	%g6, 1, %g6
	STORE	%g6, [%o0+WORD]
	LOAD	[%o0+WORD], %o1
	add	%o0, WORD, %g6
	LOAD	[%g6+WORD], %o2
	STORE	%o1, [%g6+2*WORD]
	LOAD	[%g6+3*WORD], %g6
	mov	%g6, %g5
	ldub	[%o0+%g5], %o3
	add	%g5, %g6, %o4
	sth	%g5, [%o0+4*WORD]
	add	%o1, %o2, %o0
	add	%o0, %o3, %o0
	add	%o0, %o4, %o0
	retl
	 add	%o0, %g6, %o0
	END(in_sequence)

/* In delay slots: annulled, plain, behind a label. */
FUNCTION(in_slots)
	mov	%o0, %g6
	mov	0, %o1
	mov	0, %o3
	LOAD	[%o0], %o2
1:	subcc	%o2, 1, %o2
	add	%o1, %o3, %o1
	add	%g6, WORD, %g6
	bne,a	1b
	 LOAD	[%g6], %o3
	LOAD	[%o0], %o2
	mov	%o0, %g6
2:	add	%g6, WORD, %g6
	subcc	%o2, 1, %o2
	bne	2b
	 STORE	%o2, [%g6]
	cmp	%g6, %o0
	be,a	3f
	 LOAD	[%o0], %g6
	ba	3f
	 LOAD	[%g6], %o4
3:	add	%o1, %o4, %o1
	sub	%g6, %o0, %g6
	add	%o1, %g6, %o1
	mov	3, %g6
	cmp	%o1, 0
	be	6f
	 mov	%g6, %o2
	bneg	4f
4:	 STORE	%g6, [%o0+9*WORD]
	subcc	%g6, 1, %g6
	bg	4b
	 add	%o2, %g6, %o2
	add	%o1, %o2, %o1
6:	add	%o0, %g6, %g6
	sub	%g6, %o0, %g6
#ifdef __arch64__
	add	%o0, %g6, %g6
	brnz,pt	%o4, 7f
	 ldx	[%g6+8], %o4
	sub	%o1, 7, %o1
7:	brz,a,pn %o4, 5f
	 ldx	[%g6+16], %o4
5:	add	%o1, %o4, %o1
	sub	%g6, %o0, %g6
#endif
	retl
	 add	%o1, %g6, %o0
	END(in_slots)

/* No register is free, and the stack pointer is among the operands. */
FUNCTION(in_need)
	LOAD	[%o0+WORD], %g1
	LOAD	[%o0+2*WORD], %g2
	LOAD	[%o0+3*WORD], %g3
	LOAD	[%o0+4*WORD], %g4
	LOAD	[%o0+5*WORD], %g5
	LOAD	[%o0+6*WORD], %g6
	LOAD	[%o0+7*WORD], %o1
	LOAD	[%o0+8*WORD], %o2
	LOAD	[%o0+9*WORD], %o3
	LOAD	[%o0+10*WORD], %o4
	mov	5, %o5
	STORE	%o5, [%o0+7*WORD]
	LOAD	[%o0+%g0], %o5
	STORE	%g6, [%o0+8*WORD]
	STORE	%g6, [%sp+ROOM]
	add	%g6, 3, %g6
	LOAD	[%sp+ROOM], %o5
	STORE	%g5, [%o0]
	add	%g1, %g2, %g1
	add	%g1, %g3, %g1
	add	%g1, %g4, %g1
	add	%g1, %g5, %g1
	add	%g1, %g6, %g1
	add	%g1, %o1, %g1
	add	%g1, %o2, %g1
	add	%g1, %o3, %g1
	add	%g1, %o4, %g1
	retl
	 add	%g1, %o5, %o0
	END(in_need)

/* Atomic accesses, and a system call. */
FUNCTION(in_events)
	add	%o0, 3*WORD, %g6
	mov	77, %o1
	swap	[%g6], %o1
	ldstub	[%g6+5], %o2
	add	%o1, %o2, %o1
#ifdef __arch64__
	mov	0, %o2
	casx	[%g6], %o2, %o1
	mov	%g6, %o3
	mov	9, %g6
	cas	[%o3], %o2, %g6
	add	%o1, %g6, %o1
	membar	#StoreLoad
	add	%o3, 0, %g6
#endif
	mov	%o0, %o5
	mov	%o1, %o4
	mov	20, %g1			/* getpid */
	SYSTEM_CALL
	sub	%g6, %o5, %g6
	retl
	 add	%o4, %g6, %o0
	END(in_events)

	.type	sum,#function
	.align	4
sum:	LOAD	[%o0], %g6
	LOAD	[%o0+WORD], %o0
	retl
	 add	%o0, %g6, %o0
	.size	sum,.-sum

/* A register window, a call with an access in its slot, and V9's return. */
FUNCTION(in_window)
	save	%sp, -FRAME, %sp
	add	%i0, WORD, %g6
	STORE	%g6, [%fp+ROOM]
	call	sum
	 LOAD	[%fp+ROOM], %o0
	mov	%o0, %g6
	STORE	%g6, [%i0+2*WORD]
	call	sum
	 mov	%i0, %o0
	add	%i0, 4*WORD, %g6
#ifdef __arch64__
	STORE	%o0, [%g6]
	return	%i7+8
	 ldx	[%g6], %o0
#else
	STORE	%o0, [%g6]
	LOAD	[%g6], %i0
	ret
	 restore
#endif
	END(in_window)
	.section	.note.GNU-stack,"",@progbits
