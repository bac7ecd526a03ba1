! Accesses that only the rare entries can report, called as translated code calls them.
	.register %g6, #scratch
	.section .debug_none,"",@progbits
	.uaxword "inst.level.values"
	.section .bss
	.align 64
	.global cells
cells:	.skip 256
	.data
	.align 8
numbers:
	.xword 0x1122334455667788, 0x99aabbccddeeff00, 0x0102030405060708, 0x1112131415161718
	.text
	.global accesses
accesses:
	save %sp, -208, %sp
	set cells, %l0
	set numbers, %l1
	ldd [%l1], %f0
	ldd [%l1+8], %f2
	ldd [%l1+16], %f34
	ldx [%l1], %l2
	ldx [%l1+8], %l3
	! compare and swap, done; the link is kept, and the base is the link
	stx %l2, [%l0]
	mov %l0, %o7
	mov %l2, %l4
	mov %l3, %l5
	mov %l5, %g6
	casx [%o7], %l4, %l5
	add %sp, -192, %sp
	stx %o7, [%sp+2223]
	call "inst.rare.after.k"
	 nop
	cmp %o7, %l0
	bne 1f
	 nop
	! compare and swap of a word, not done, in the space of %asi
	wr %g0, 0x80, %asi
	mov 5, %l5
	mov %l5, %g6
	casa [%l0] %asi, %g0, %l5
	call "inst.rare.after.x"
	 nop
	! a pair of words, stored and loaded
	add %l0, 8, %g6
	call "inst.rare"
	 nop
	std %l2, [%l0+8]
	add %l0, 8, %g6
	ldd [%l0+8], %l4
	call "inst.rare.after"
	 nop
	! 16 bytes of floating point
	call "inst.rare"
	 add %l0, 16, %g6
	stq %f0, [%l0+16]
	! little-endian: the value is what stands in memory, read as this machine reads
	call "inst.rare"
	 add %l0, 32, %g6
	stxa %l2, [%l0+32] %asi
	wr %g0, 0x88, %asi
	call "inst.rare"
	 add %l0, 32, %g6
	stwa %l2, [%l0+32] %asi
	wr %g0, 0x80, %asi
	! one byte of a floating-point register whose number is above 31
	mov %l0, %g6
	ldda [%l0] 0xd0, %f34
	call "inst.rare.after"
	 nop
	! the whole state of floating point
	add %l0, 40, %g6
	mov 0x77, %o7
	add %sp, -192, %sp
	stx %o7, [%sp+2223]
	call "inst.rare.k"
	 nop
	stx %fsr, [%l0+40]
	add %l0, 40, %g6
	ldx [%l0+40], %fsr
	call "inst.rare.after"
	 nop
	! a block of 64 bytes
	ldd [%l1], %f16
	ldd [%l1+24], %f30
	wr %g0, 0xf0, %asi
	call "inst.rare"
	 add %l0, 64, %g6
	stda %f16, [%l0+64] %asi
	! parts of a register by a mask, which QEMU 7.2 does not know: nothing runs them
	mov 0x81, %l4
	mov %l0, %g6
	call "inst.rare"
	 nop
	ba 2f
	 nop
	stda %f0, [%l0+%l4] 0xc0
2:	mov 6, %l4
	call "inst.rare"
	 nop
	ba 2f
	 nop
	stda %f0, [%l0+%l4] 0xc2
2:	ldd [%l1+16], %f34
	mov 2, %l4
	call "inst.rare"
	 nop
	ba 2f
	 nop
	stda %f34, [%l0+%l4] 0xc5
2:	mov 1, %l4			! the lowest byte lies first
	call "inst.rare"
	 nop
	ba 2f
	 nop
	stda %f0, [%l0+%l4] 0xc8
2:	mov 8, %l4			! the highest halfword lies last, turned
	call "inst.rare"
	 nop
	ba 2f
	 nop
	stda %f0, [%l0+%l4] 0xca
2:	! a load into the register that keeps the link, and one that nobody keeps
	mov %l0, %g6
	ldx [%l0], %o7
	add %sp, -192, %sp
	stx %o7, [%sp+2223]
	call "inst.rare.after.k"
	 nop
	cmp %o7, %l3
	bne 1f
	 nop
	mov %g0, %g6
	ldstub [%l0+1], %g6
	call "inst.rare.after"
	 nop
	! a compare and swap that stores zero: its result, too, goes where nobody keeps it
	ldx [%l0+8], %l4
	add %l0, 8, %l5
	mov %g0, %g6
	casx [%l5], %l4, %g6
	call "inst.rare.after"
	 nop
1:	ret
	restore
	.section .note.GNU-stack,"",@progbits
