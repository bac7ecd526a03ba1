# Accesses that only the rare entries can report, called as translated code calls them.
	.section .debug_none,"",@progbits
	.long "inst.level.values"
	.data
	.balign 64
	.globl cells
cells:	.long 0x11223344, 0x55667788, 0x99aabbcc, 0xddeeff00
	.space 112
	.text
	.globl accesses
accesses:
	mflr 0
	stwu 1, -64(1)
	stw 0, 68(1)
	stw 30, 40(1)
	stw 31, 44(1)
	lis 9, cells@ha
	addi 9, 9, cells@l
	addi 13, 9, 4				# lmw: two registers
	lmw 30, 4(9)
	bl "inst.rare.after"
	addi 13, 9, 8				# stmw, lr kept by the site
	mflr 8
	bl "inst.rare.x"
	mtlr 8
	stmw 30, 8(9)
	mr 13, 9				# seven bytes: a word and three bytes
	lswi 10, 9, 7
	bl "inst.rare.after"
	mr 13, 9				# a reservation and its store
	bl "inst.rare"
	lwarx 10, 0, 9
	addi 10, 10, 1
	stwcx. 10, 0, 9
	mr 13, 9
	bl "inst.rare.after.x"
	mr 13, 9				# without a reservation: fails, and is no store
	stwcx. 10, 0, 9
	bl "inst.rare.after.x"
	addi 13, 9, 70				# a cache line
	bl "inst.rare"
	addi 8, 9, 70
	dcbz 0, 8
	stwu 1, -48(1)				# a site without a free register: a store
	stw 10, 44(1)
	mflr 10
	addi 13, 9, 2
	bl "inst.rare"
	mtlr 10
	lwz 10, 44(1)
	addi 1, 1, 48
	sth 10, 2(9)
	mr 13, 9				# and a load
	lwz 10, 0(9)
	stwu 1, -48(1)
	stw 10, 44(1)
	mflr 10
	bl "inst.rare.after"
	mtlr 10
	lwz 10, 44(1)
	addi 1, 1, 48
	lwz 30, 40(1)
	lwz 31, 44(1)
	lwz 0, 68(1)
	addi 1, 1, 64
	mtlr 0
	blr
	.section .note.GNU-stack,"",@progbits
