! Forms of access and slots that only 64-bit SPARC has, one function each:
! int form_NAME(int flag, int *words), called with flags 0 and 1 by forms.c; words has 64-byte
! alignment.
	.register %g2, #scratch
	.text

	.globl	form_plain
	.type	form_plain, #function
form_plain:
	ldx	[%o1+8], %o2
	ldsw	[%o1+4], %o3
	lduw	[%o1+4], %o4
	stx	%o2, [%o1+64]
	stw	%o3, [%o1+72]
	ldx	[%o1+16], %g0
	stx	%g0, [%o1+80]
	ldd	[%o1+24], %o2
	std	%o2, [%o1+88]
	add	%o3, %o4, %o0
	retl
	nop
	.size	form_plain, .-form_plain

	.globl	form_atomic
	.type	form_atomic, #function
form_atomic:
	lduw	[%o1], %o2
	mov	5, %o3
	cas	[%o1], %o2, %o3		! done
	cas	[%o1], %o2, %o4		! not done
	add	%o1, 8, %g2
	ldx	[%g2], %o2
	mov	%o1, %g1
	mov	-3, %o4
	casx	[%g2], %o2, %o4		! done
	casx	[%g2], %g0, %o4		! not done
	casa	[%o1] 0x80, %o2, %o4
	wr	%g0, 0x80, %asi
	casxa	[%g2] %asi, %o2, %o5
	swap	[%o1+16], %o3
	ldstub	[%o1+20], %o4
	ldstuba	[%o1+%g0] 0x80, %o5
	swapa	[%o1+16] %asi, %o3
	add	%o3, %o4, %o0
	retl
	casx	[%g2], %o3, %o2		! in a slot
	.size	form_atomic, .-form_atomic

	.globl	form_space
	.type	form_space, #function
form_space:			! other spaces: little-endian, without faults, as %asi says
	mov	12, %o2
	lda	[%o1+%o2] 0x88, %o3
	ldxa	[%o1+%g0] 0x80, %o4
	ldsba	[%o1+%o2] 0x82, %o5
	stha	%o3, [%o1+%o2] 0x88
	stxa	%o4, [%o1+%g0] 0x80
	wr	%g0, 0x88, %asi
	ldxa	[%o1+8] %asi, %o4
	lduha	[%o1+18] %asi, %o5
	stba	%o5, [%o1+65] %asi
	stxa	%o4, [%o1+72] %asi
	wr	%g0, 0x80, %asi
	ldda	[%o1+16] %asi, %o2
	stda	%o2, [%o1+80] %asi
	rd	%asi, %o4
	retl
	add	%o3, %o4, %o0
	.size	form_space, .-form_space

	.globl	form_floating
	.type	form_floating, #function
form_floating:			! registers above %f31, quads, the state, conditions kept
	ld	[%o1+4], %f1
	ldd	[%o1+8], %f34
	ldx	[%o1+16], %o2		! QEMU 7.2 stores the first half of a quad twice:
	stx	%o2, [%o1+64]		! let both be the same
	stx	%o2, [%o1+72]
	ldq	[%o1+64], %f36
	fcmps	%fcc0, %f1, %f1
	fcmps	%fcc3, %f1, %f1
	stq	%f36, [%o1+112]
	std	%f34, [%o1+80]
	st	%f1, [%o1+88]
	stx	%fsr, [%o1+96]
	ldx	[%o1+96], %fsr
	mov	0, %o0
	fbe,pt	%fcc3, 1f
	ldd	[%o1+24], %f34
	mov	1, %o0
1:	fble,a,pn %fcc0, 2f
	std	%f34, [%o1+104]
	mov	2, %o0
2:	retl
	nop
	.size	form_floating, .-form_floating

	.globl	form_block
	.type	form_block, #function
form_block:			! 64 bytes at once; single bytes and halfwords of VIS
	ldda	[%o1+%g0] 0xf0, %f0
	membar	#Sync
	add	%o1, 64, %o2
	stda	%f0, [%o2+%g0] 0xf0
	membar	#Sync
	add	%o1, 3, %o3
	ldda	[%o3+%g0] 0xd0, %f34
	stda	%f34, [%o2+%g0] 0xd0
	add	%o1, 6, %o3
	ldda	[%o3+%g0] 0xd2, %f34
	add	%o2, 10, %o3
	stda	%f34, [%o3+%g0] 0xd2
	stda	%f0, [%o2+%g0] 0xe0
	membar	#Sync
	stda	%f0, [%o2+%g0] 0xf8
	membar	#Sync
	ldda	[%o1+%g0] 0xe2, %o4
	ldda	[%o2+%g0] 0xea, %o4
	retl
	mov	4, %o0
	.size	form_block, .-form_block

	.globl	form_registers
	.type	form_registers, #function
form_registers:			! branches on registers and with predictions, annulled or not
	mov	3, %o2
	brz,pt	%o0, 1f
	ldx	[%o1+8], %o2
	add	%o2, 1, %o2
1:	brnz,a,pn %o0, 2f
	ld	[%o1+20], %o3
	mov	9, %o3
2:	cmp	%o0, 0
	be,a,pt	%xcc, 3f
	stx	%o2, [%o1+64]
	bg,pn	%icc, 3f
	stw	%o3, [%o1+76]
3:	brlez	%o0, 4f
	lduw	[%o1+4], %o0		! overwrites what the branch reads
	add	%o0, 1, %o0
4:	ba,pt	%xcc, 5f
	ldub	[%o1+1], %o4
5:	addcc	%o0, %o4, %o0
	retl
	movg	%icc, %o3, %o0
	.size	form_registers, .-form_registers

	.globl	form_return
	.type	form_return, #function
form_return:			! the slot of return runs in the caller's window
	save	%sp, -176, %sp
	stx	%i0, [%i1+64]
	ldsw	[%i1+64], %i0
	stw	%g0, [%i1+72]
	return	%i7+8
	ldsw	[%o1+72], %o2
	.size	form_return, .-form_return

	.globl	form_link
	.type	form_link, #function
form_link:			! %o7 as an ordinary register, and as a result
	mov	%o7, %g2
	add	%o1, 8, %o7
	ldx	[%o7+8], %o7
	stx	%o7, [%o1+64]
	addcc	%o0, -1, %o7
	ldx	[%o1+%g0], %o3
	addc	%o7, 0, %o0
	mov	%g2, %o7
	retl
	lduw	[%o1+4], %o4
	.size	form_link, .-form_link
