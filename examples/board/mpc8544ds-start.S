# Start-up code for MPC8544 (e500v2): the devices' translation, interrupt vectors, stack, .bss.
#
# Memory from address 0 on is mapped already, by QEMU or by the boot loader.

	.set	MAS0, 624
	.set	MAS1, 625
	.set	MAS2, 626
	.set	MAS3, 627
	.set	MAS7, 944
	.set	IVPR, 63
	.set	IVOR, 400
	.set	DEAR, 61

	.section .text.start, "ax"
	.global	_start
_start:
	lis	3, 0x1001			# TLB1, entry 1
	mtspr	MAS0, 3
	lis	3, 0xc000			# valid, protected, 1 MB
	ori	3, 3, 0x0500
	mtspr	MAS1, 3
	lis	3, 0xe000			# 0xe0000000, caching inhibited, guarded
	ori	3, 3, 0x000a
	mtspr	MAS2, 3
	lis	3, 0xe000			# the same physical address, supervisor reads and writes
	ori	3, 3, 0x0005
	mtspr	MAS3, 3
	li	3, 0
	mtspr	MAS7, 3
	isync
	tlbwe
	isync
	lis	3, vectors@h
	mtspr	IVPR, 3
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	li	3, (vectors + 16 * \number)@l
	mtspr	IVOR + \number, 3
	.endr
	lis	1, (stack_end - 64)@ha
	addi	1, 1, (stack_end - 64)@l
	li	0, 0
	stw	0, 0(1)
	lis	3, bss_start@ha
	addi	3, 3, bss_start@l
	lis	4, bss_end@ha
	addi	4, 4, bss_end@l
1:	cmplw	3, 4
	bge	2f
	stw	0, 0(3)
	addi	3, 3, 4
	b	1b
2:	bl	main
	bl	board_halt

	.balign	256
vectors:
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	li	3, \number
	b	unhandled
	.balign	16
	.endr
	b	timer				# 10: the decrementer
	.balign	16
	li	3, 11
	b	unhandled
	.balign	16
	b	watchdog			# 12: the watchdog timer, a critical interrupt
	.balign	16
	b	miss				# 13: a TLB miss of data
	.balign	16
	.irp	number, 14, 15
	li	3, \number
	b	unhandled
	.balign	16
	.endr

# Save what was interrupted on its stack; two registers say where, by the level of the interrupt.
	.set	SRR, 26
	.set	CSRR, 58
	.set	FRAME, 176
	.set	GENERAL, 8
	.set	PC, 152
	.macro	save where=SRR
	stwu	1, -FRAME(1)
	stw	0, GENERAL(1)
	.irp	number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	stw	\number, GENERAL + 4 * \number(1)
	.endr
	mfcr	3
	stw	3, 136(1)
	mfxer	3
	stw	3, 140(1)
	mfctr	3
	stw	3, 144(1)
	mflr	3
	stw	3, 148(1)
	mfspr	3, \where
	stw	3, PC(1)
	mfspr	3, \where + 1
	stw	3, 156(1)
	.endm

	.macro	restore where=SRR
	lwz	3, 136(1)
	mtcr	3
	lwz	3, 140(1)
	mtxer	3
	lwz	3, 144(1)
	mtctr	3
	lwz	3, 148(1)
	mtlr	3
	lwz	3, PC(1)
	mtspr	\where, 3
	lwz	3, 156(1)
	mtspr	\where + 1, 3
	lwz	0, GENERAL(1)
	.irp	number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	lwz	\number, GENERAL + 4 * \number(1)
	.endr
	lwz	1, 0(1)
	.endm

# Call what code that records inline is told by, if it is there, with where the frame has the pc.
	.weak	inst_interrupted
	.weak	inst_resumed
	.macro	report function
	lis	3, \function@ha
	addi	3, 3, \function@l
	cmpwi	3, 0
	beq	1f
	mtctr	3
	addi	3, 1, PC
	bctrl
1:
	.endm

# Let board_miss write the entry, and go on.  Code, stacks and the ring have entries that stay.
	.weak	board_miss
miss:
	save
	report	inst_interrupted
	lis	4, board_miss@ha
	addi	4, 4, board_miss@l
	cmpwi	4, 0
	li	3, 13
	beq	unhandled
	mfspr	3, DEAR
	bl	board_miss
	mr	3, 1
	b	board_go_on

# Let board_tick choose the next task, and go on with that.
	.weak	board_tick
timer:
	save
	report	inst_interrupted
	mr	3, 1
	bl	board_tick

	.global	board_go_on
board_go_on:
	mr	1, 3
	report	inst_resumed
	restore
	rfi

# It may come while a handler of another interrupt runs.
	.weak	board_watchdog
watchdog:
	save	CSRR
	report	inst_interrupted
	lis	4, board_watchdog@ha
	addi	4, 4, board_watchdog@l
	cmpwi	4, 0
	bne	1f
	lwz	3, PC(1)
	mtsrr0	3
	li	3, 12
	b	unhandled
1:	bl	board_watchdog
	report	inst_resumed
	restore	CSRR
	rfci

unhandled:
	mfsrr0	4
	mfspr	5, DEAR
	lis	1, (stack_end - FRAME)@ha
	addi	1, 1, (stack_end - FRAME)@l
	li	0, 0
	stw	0, 0(1)
	stw	3, GENERAL(1)
	stw	4, GENERAL + 4(1)
	stw	5, GENERAL + 8(1)
	stw	4, PC(1)
	report	inst_interrupted
	lwz	3, GENERAL(1)
	lwz	4, GENERAL + 4(1)
	lwz	5, GENERAL + 8(1)
	bl	board_trap
