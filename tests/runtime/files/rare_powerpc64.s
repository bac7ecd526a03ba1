# Accesses that only the rare entries can report, called as translated code calls them.
	.machine power8
	.section .debug_none,"",@progbits
	.8byte "inst.level.values"
	.data
	.balign 128
	.globl cells
cells:	.8byte 0x1122334455667788, 0x99aabbccddeeff00
	.8byte 0x4038000000000000, 0
	.space 224
	.text
	.globl accesses
accesses:
	mflr 0
	std 0, 16(1)
	stdu 1, -128(1)
	std 30, 112(1)
	addis 30, 2, cells@toc@ha
	addi 30, 30, cells@toc@l
	li 10, 16
	mr 12, 30				# 16 bytes by doublewords, by words, and in memory's order
	lxvd2x 34, 0, 30
	bl "inst.rare.after.a12"
	addi 11, 30, 32
	bl "inst.rare.a11"
	addi 9, 30, 32
	stxvw4x 34, 0, 9
	addi 0, 30, 32
	lvx 3, 0, 9
	bl "inst.rare.after"
	addi 0, 30, 20				# one element of a vector, the address rounded
	addi 9, 30, 22
	lvewx 4, 0, 9
	bl "inst.rare.after"
	add 0, 30, 10				# a double, and then as a single
	lxsdx 37, 30, 10
	bl "inst.rare.after"
	addi 9, 30, 24
	mr 0, 9
	bl "inst.rare.x"
	stxsspx 37, 0, 9
	mr 0, 30				# the other way round, lr kept by the site
	mflr 8
	ldbrx 9, 0, 30
	bl "inst.rare.after"
	mtlr 8
	mr 0, 30				# a pair of registers
	lq 6, 0(30)
	bl "inst.rare.after"
	addi 0, 30, 32
	bl "inst.rare"
	stq 6, 32(30)
	mr 0, 30				# a reservation and its store
	bl "inst.rare"
	ldarx 9, 0, 30
	addi 9, 9, 1
	stdcx. 9, 0, 30
	mr 0, 30
	bl "inst.rare.after.x"
	mr 0, 30				# without a reservation: fails, and is no store
	stdcx. 9, 0, 30
	bl "inst.rare.after.x"
	addi 0, 30, 130				# a cache line
	bl "inst.rare"
	addi 8, 30, 130
	dcbz 0, 8
	stdu 1, -640(1)				# a site without a free register: a store
	std 12, 112(1)
	mflr 12
	std 12, 120(1)
	addi 12, 30, 2
	bl "inst.rare.a12"
	ld 12, 120(1)
	mtlr 12
	ld 12, 112(1)
	addi 1, 1, 640
	sth 9, 2(30)
	ld 9, 8(30)				# a load
	stdu 1, -640(1)
	std 12, 112(1)
	mflr 12
	std 12, 120(1)
	addi 12, 30, 8
	bl "inst.rare.after.a12"
	ld 12, 120(1)
	mtlr 12
	ld 12, 112(1)
	addi 1, 1, 640
	mr 9, 30				# a load that overwrites its base
	stdu 1, -640(1)
	std 12, 112(1)
	mflr 12
	std 12, 120(1)
	addi 12, 9, 8
	ld 9, 8(9)
	bl "inst.rare.after.a12"
	ld 12, 120(1)
	mtlr 12
	ld 12, 112(1)
	addi 1, 1, 640
	ld 30, 112(1)
	addi 1, 1, 128
	ld 0, 16(1)
	mtlr 0
	blr
	.section .note.GNU-stack,"",@progbits
