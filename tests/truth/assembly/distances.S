/* Position-independent code that measures in delay slots, and what has the width of the code:
   int NAME(int flag, int *words), called by forms.c.
   Between the tables and what measures them lies code that grows past the 4095 bytes that an
   immediate holds. */
#ifdef __arch64__
#define FRAME 192
	.register %g2,#scratch
#else
#define FRAME 96
#endif

#define TWICE(X) X; X
#define COPY ld [%o1+4], %o3; st %o3, [%o1+8]
#define FAR TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(COPY)))))))

#define FUNCTION(NAME) .globl NAME; .type NAME, #function; .align 4; NAME
#define END(NAME) .size NAME, .-NAME

	.text
near:	.word	0x11, 0x22, 0x33, 0x44

leave:	retl
	nop
add_link:			/* what it gets is the distance from the call */
	retl
	add	%o0, %o7, %o0
forward:
	retl
	add	%o4, far-near, %o4

FUNCTION(distance_here):	/* how code learns where it is */
	mov	%o7, %g1
1:	call	.+8
	add	%o7, far-1b, %o4
	mov	%g1, %o7
	retl
	ld	[%o4+4], %o0
END(distance_here)

FUNCTION(distance_location):	/* the same without a label */
	mov	%o7, %g1
	call	.+8
	add	%o7, far-(.-4), %o4
	mov	%g1, %o7
	retl
	ld	[%o4+8], %o0
END(distance_location)

FUNCTION(distance_over):	/* what the call jumps to is jumped to from elsewhere as well */
	mov	%o7, %g1
	mov	0, %o5
1:	call	2f
	add	%o7, far-1b, %o4
2:	ld	[%o4], %o3
	add	%o5, %o3, %o5
	cmp	%o3, 0x300
	bne	2b
	add	%o4, 4, %o4
	mov	%g1, %o7
	retl
	mov	%o5, %o0
END(distance_over)

FUNCTION(distance_behind):	/* and so is what is after the slot of `call .+8` */
	mov	%o7, %g1
	mov	0, %o5
1:	call	.+8
	add	%o7, far-1b, %o4
2:	ld	[%o4], %o3
	add	%o5, %o3, %o5
	cmp	%o3, 0x300
	bne	2b
	add	%o4, 4, %o4
	mov	%g1, %o7
	retl
	mov	%o5, %o0
END(distance_behind)

FUNCTION(distance_passed):	/* the distance is an argument */
	mov	%o7, %g1
	call	add_link
	mov	far-(.-4), %o0
	mov	%g1, %o7
	retl
	ld	[%o0+4], %o0
END(distance_passed)

FUNCTION(distance_entered):	/* a label before the call is measured, and branched to */
	mov	%o7, %g1
	cmp	%o0, 0
	be	1f
	mov	0, %o0
	st	%o0, [%o1+16]
	mov	1, %o0
1:	call	add_link
	mov	far-1b, %o0
	ld	[%o0+8], %o2
	cmp	%o2, 0x303
	be	2f
	nop
	ld	[%o1+16], %o2
2:	mov	%g1, %o7
	retl
	mov	%o2, %o0
END(distance_entered)

FUNCTION(distance_called):	/* measured after the call */
	mov	%o7, %g1
1:	call	leave
	nop
	add	%o7, far-1b, %o4
	mov	%g1, %o7
	retl
	ld	[%o4+4], %o0
END(distance_called)

FUNCTION(distance_probed):	/* an access in the slot, which is reported before the call */
	mov	%o7, %g1
1:	call	.+8
	ld	[%o1+4], %o2
	add	%o7, far-1b, %o4
2:	call	.+8
	st	%o2, [%o1+20]
	sethi	%hi(far-2b), %o5
	or	%o5, %lo(far-2b), %o5
	ld	[%o7+%o5], %o5
	mov	%g1, %o7
	ld	[%o4+4], %o4
	retl
	add	%o4, %o5, %o0
END(distance_probed)

FUNCTION(distance_returned):	/* in the slot of a return */
	mov	%o7, %g1
1:	call	.+8
	add	%o7, near-1b, %o4
	call	forward
	nop
	mov	%g1, %o7
	retl
	ld	[%o4+8], %o0
END(distance_returned)

FUNCTION(distance_either):	/* in the slot of a branch that is taken or not */
	mov	%o7, %g1
1:	call	.+8
	add	%o7, near-1b, %o4
	mov	%g1, %o7
	cmp	%o0, 0
	bne	2f
	add	%o4, far-near, %o4
	retl
	ld	[%o4], %o0
2:	retl
	ld	[%o4+4], %o0
END(distance_either)

FUNCTION(distance_never):	/* after an annulled branch, whose slot it is not */
	mov	%o7, %g1
1:	call	.+8
	add	%o7, near-1b, %o4
	mov	%g1, %o7
	cmp	%o0, 0
	be	2f
	nop
	ba,a	3f
2:	add	%o4, far-near, %o4
3:	retl
	ld	[%o4+4], %o0
END(distance_never)

FUNCTION(distance_window):	/* with a window of its own */
	save	%sp, -FRAME, %sp
1:	call	add_link
	mov	far-1b, %o0
	ld	[%o0+4], %i0
	ret
	restore
END(distance_window)

FUNCTION(distance_jumped):	/* into code with its places fixed, by its distance from a call */
	mov	%o7, %g1
	and	%o0, 1, %o2
	sll	%o2, 4, %o2
1:	call	2f
	ld	[%o1+4], %o3
2:	add	%o7, %o2, %o7
	jmp	%o7+(3f-1b)
	nop
	.align	16
3:	.org	3b+0*16
	ba	4f
	mov	11, %o0
	.org	3b+1*16
	ba	4f
	mov	12, %o0
	.org	3b+2*16
4:	mov	%g1, %o7
	retl
	add	%o0, %o3, %o0
END(distance_jumped)

FUNCTION(distance_between):	/* among accesses, of which recordings keep their place in a register */
	save	%sp, -FRAME-96, %sp
	ld	[%i1], %l0
1:	call	.+8
	add	%o7, far-1b, %o4
	ld	[%i1+4], %l1
	ld	[%o4], %l2
2:	call	.+8
	nop
	ld	[%i1+8], %l4
	add	%o7, far-2b, %o3
	ld	[%o3+4], %l3
	add	%l0, %l1, %l0
	add	%l0, %l2, %l0
	st	%l3, [%i1+8]
	ret
	restore	%l0, %l3, %o0
END(distance_between)

FUNCTION(distance_loaded):	/* in an address, which keeps its 13 bits */
	mov	%o7, %g1
1:	call	leave
	ld	[%o1+4], %o3
	ld	[%o7+(5f-1b)], %o4
	mov	%g1, %o7
	retl
	add	%o3, %o4, %o0
5:	.word	0x55
END(distance_loaded)

FUNCTION(target_counted):	/* a loop that is entered after its first instruction */
	mov	3, %o5
	mov	0, %o4
1:	ld	[%o1+4], %o2
	add	%o4, %o2, %o4
	subcc	%o5, 1, %o5
	bne	1b+4
	ld	[%o1+8], %o2
	retl
	mov	%o4, %o0
END(target_counted)

FUNCTION(target_here):		/* a branch over an access and a call that is counted */
	mov	%o7, %g1
	cmp	%o0, 0
	be	.+20
	mov	%o0, %o4
	ld	[%o1+4], %o4
	call	leave
	add	%o4, 1, %o4
	mov	%g1, %o7
	retl
	add	%o4, 2, %o0
END(target_here)

FUNCTION(natural_width):	/* what has one name in code of either width */
	srln	%o1, 3, %o2
	slln	%o2, 3, %o2
	sub	%o1, %o2, %o3
	sran	%o3, 1, %o3
	ldn	[%o1+16], %o4
	stn	%o4, [%o1+24]
	clrn	[%o1+48]
	stna	%o4, [%o1] 0x80
	ldna	[%o1] 0x80, %o5
#ifdef __arch64__
	add	%o1, 56, %o2
	casn	[%o2], %o4, %o5
	casna	[%o2] 0x80, %o4, %o5
#endif
	retl
	add	%o5, %o3, %o0
END(natural_width)

	FAR
far:	.word	0x100, 0x202, 0x303, 0x300

FUNCTION(distance_back):	/* the table is before it */
	mov	%o7, %g1
1:	call	.+8
	add	%o7, near-1b, %o4
	mov	%g1, %o7
	retl
	ld	[%o4+4], %o0
END(distance_back)

	.section .note.GNU-stack,"",@progbits
