! Accesses that only the rare entries can report, called as translated code calls them.
	.section .debug_none,"",@progbits
	.word "inst.level.values"
	.data
	.align 8
	.global cells
cells:	.word 0x11223344, 0x55667788, 0x99aabbcc, 0xddeeff00
	.text
	.global accesses
accesses:
	save %sp, -112, %sp
	set cells, %l0
	! ldstub of the second byte, its result in %l2; the link is kept
	mov 0x77, %o7
	mov %l2, %g5
	ldstub [%l0+1], %l2
	mov %o7, %g6
	call "inst.rare.after.k"
	nop
	cmp %o7, 0x77
	bne 1f
	 nop
	! swap, with its base as its result
	mov %l0, %l1
	mov %l1, %g5
	swap [%l1], %l1
	call "inst.rare.after"
	nop
	! the state of floating point, stored and loaded
	add %l0, 8, %g5
	call "inst.rare.x"
	nop
	st %fsr, [%l0+8]
	add %l0, 8, %g5
	ld [%l0+8], %fsr
	call "inst.rare.after"
	nop
1:	ret
	restore
	.section .note.GNU-stack,"",@progbits
