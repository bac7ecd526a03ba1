! Every kind of delay slot that holds an access, one function each:
! int slot_NAME(int flag, int *words), called with flags 0 and 1 by forms.c.
	.text

	.globl	slot_always
	.type	slot_always, #function
slot_always:			! conditional, not annulled: the slot runs on both ways
	cmp	%o0, 0
	be	1f
	ld	[%o1+4], %o2
	add	%o2, 100, %o2
1:	retl
	mov	%o2, %o0
	.size	slot_always, .-slot_always

	.globl	slot_always_store
	.type	slot_always_store, #function
slot_always_store:
	cmp	%o0, 0
	bne	1f
	st	%o0, [%o1+8]
	retl
	ld	[%o1+8], %o0
1:	retl
	ld	[%o1+4], %o0
	.size	slot_always_store, .-slot_always_store

	.globl	slot_annulled
	.type	slot_annulled, #function
slot_annulled:			! conditional annulled: runs only when taken
	mov	7, %o2
	cmp	%o0, 0
	be,a	1f
	ld	[%o1+12], %o2
	add	%o2, 1, %o2
1:	retl
	mov	%o2, %o0
	.size	slot_annulled, .-slot_annulled

	.globl	slot_annulled_store
	.type	slot_annulled_store, #function
slot_annulled_store:
	cmp	%o0, 0
	bg,a	1f
	st	%o0, [%o1+16]
	ba	1f
	sth	%g0, [%o1+18]
1:	retl
	ld	[%o1+16], %o0
	.size	slot_annulled_store, .-slot_annulled_store

	.globl	slot_never
	.type	slot_never, #function
slot_never:			! annulled unconditional: never runs; the next line is its own block
	cmp	%o0, 0
	be	2f
	mov	1, %o2
	ba,a	1f
2:	ld	[%o1+20], %o2
1:	retl
	mov	%o2, %o0
	.size	slot_never, .-slot_never

	.globl	slot_carry
	.type	slot_carry, #function
slot_carry:			! condition codes live across the access and its slot
	addcc	%o0, -1, %g0
	ldub	[%o1+1], %o2
	bcs	1f
	ldsb	[%o1+3], %o3
	addx	%o2, 0, %o2
1:	addx	%o2, %o3, %o0
	retl
	nop
	.size	slot_carry, .-slot_carry

	.globl	slot_call
	.type	slot_call, #function
slot_call:			! after call, with a base that stays
	save	%sp, -96, %sp
	mov	%i0, %o0
	call	slot_callee
	ld	[%i1+24], %o1
	st	%o0, [%i1+28]
	call	slot_callee
	std	%o0, [%i1+32]
	ldd	[%i1+32], %l2
	add	%l2, %l3, %l2
	add	%l2, %o0, %i0
	ret
	restore
	.size	slot_call, .-slot_call

slot_callee:
	retl
	add	%o0, %o1, %o0

	.globl	slot_pointer
	.type	slot_pointer, #function
slot_pointer:			! call through a register
	save	%sp, -96, %sp
	sethi	%hi(1024), %o0
	call	.Lpc
	mov	%i0, %o0
.Lpc:	add	%o7, slot_callee-.Lpc+8, %l0
	jmpl	%l0, %o7
	ld	[%i1+4], %o1
	mov	%o0, %i0
	ret
	restore	%i0, 3, %o0
	.size	slot_pointer, .-slot_pointer

	.globl	slot_leaf_link
	.type	slot_leaf_link, #function
slot_leaf_link:			! %o7 stored, loaded and used as a base
	st	%o7, [%o1+40]
	mov	%o1, %o7
	ld	[%o7+4], %o2
	st	%o2, [%o7+44]
	ld	[%o1+40], %o7
	retl
	ld	[%o1+44], %o0
	.size	slot_leaf_link, .-slot_leaf_link

	.globl	slot_overwritten
	.type	slot_overwritten, #function
slot_overwritten:		! loads that overwrite their own base
	add	%o1, 4, %o2
	ldub	[%o2], %o2
	mov	%o1, %o4
	ldd	[%o4+8], %o4
	xor	%o4, %o5, %o4
	retl
	add	%o2, %o4, %o0
	.size	slot_overwritten, .-slot_overwritten

	.globl	slot_atomic
	.type	slot_atomic, #function
slot_atomic:
	mov	%o0, %o2
	swap	[%o1+4], %o2
	ldstub	[%o1+9], %o3
	swap	[%o1+4], %o2
	ldstub	[%o1+13], %g0
	swap	[%o1+24], %g0
	ld	[%o1+28], %g0
	ld	[%o1+8], %o4
	st	%g0, [%o1+8]
	add	%o2, %o3, %o0
	retl
	add	%o0, %o4, %o0
	.size	slot_atomic, .-slot_atomic

	.globl	slot_multiply
	.type	slot_multiply, #function
slot_multiply:			! %y live across accesses
	umul	%o0, -3, %o2
	ld	[%o1+4], %o3
	rd	%y, %o4
	wr	%g0, 5, %y
	st	%o3, [%o1+48]
	rd	%y, %o5
	add	%o2, %o4, %o0
	retl
	add	%o0, %o5, %o0
	.size	slot_multiply, .-slot_multiply

	.globl	slot_floating
	.type	slot_floating, #function
slot_floating:			! fcc live; single and double registers; %fsr
	ld	[%o1+4], %f2
	ld	[%o1+8], %f3
	fcmps	%f2, %f3
	st	%fsr, [%o1+52]
	fbl,a	1f
	std	%f2, [%o1+56]
	st	%f3, [%o1+56]
1:	ldd	[%o1+56], %f4
	ld	[%o1+52], %fsr
	st	%f5, [%o1+60]
	ld	[%o1+56], %o0
	ld	[%o1+60], %o2
	retl
	add	%o0, %o2, %o0
	.size	slot_floating, .-slot_floating

	.globl	slot_labelled
	.type	slot_labelled, #function
slot_labelled:			! a branch target in a delay slot
	cmp	%o0, 0
	be	3f
	nop
	ba	2f
4:	ld	[%o1+4], %o2
	add	%o2, 50, %o2
2:	retl
	mov	%o2, %o0
3:	ba	4b
	nop
	.size	slot_labelled, .-slot_labelled

	.globl	slot_couple
	.type	slot_couple, #function
slot_couple:			! a branch in the slot of a branch
	cmp	%o0, 0
	ba	5f
	be	6f
	mov	99, %o0
5:	ld	[%o1+4], %o0
	retl
	add	%o0, 1, %o0
6:	retl
	add	%o0, 2, %o0
	.size	slot_couple, .-slot_couple

	.globl	slot_couple_annulled
	.type	slot_couple_annulled, #function
slot_couple_annulled:		! where the second is not taken, nothing runs at the first's target
	cmp	%o0, 0
	ba	10f
	be,a	11f
	mov	99, %o0
10:	ld	[%o1+8], %o2
	ld	[%o1+4], %o0
	retl
	add	%o0, 1, %o0
11:	ld	[%o1+12], %o0
	retl
	add	%o0, %o2, %o0
	.size	slot_couple_annulled, .-slot_couple_annulled

	.globl	slot_couple_always
	.type	slot_couple_always, #function
slot_couple_always:		! nothing runs at the first's target
	ba	12f
	ba,a	13f
	mov	99, %o0
12:	ld	[%o1+4], %o0
	retl
	add	%o0, 1, %o0
13:	ld	[%o1+8], %o2
	retl
	add	%o0, %o2, %o0
	.size	slot_couple_always, .-slot_couple_always

	.globl	slot_couple_counted
	.type	slot_couple_counted, #function
slot_couple_counted:		! the second goes to a label plus some bytes
	cmp	%o0, 0
	ba	14f
	be	15f+4
	mov	99, %o0
	mov	98, %o0
14:	ld	[%o1+4], %o0
	retl
	add	%o0, 1, %o0
15:	mov	97, %o0
	ld	[%o1+8], %o2
	retl
	add	%o0, %o2, %o0
	.size	slot_couple_counted, .-slot_couple_counted

	.globl	slot_difference
	.type	slot_difference, #function
slot_difference:		! an immediate that grows with the code
	mov	%o7, %g1
	call	8f
	nop
7:	ld	[%o1+4], %o2
	ld	[%o1+8], %o2
	ld	[%o1+12], %o2
	retl
	ld	[%o1+16], %o0
8:	add	%o7, 9f-7b+8, %o3
	jmp	%o3
	mov	%g1, %o7
9:	ld	[%o1+4], %o2
	retl
	add	%o2, 9, %o0
	.size	slot_difference, .-slot_difference
	.section	.note.GNU-stack,"",@progbits
