# The second processor of MPC8544: from QEMU's table of processors that wait on.  Memory from address 0
# on is mapped for it, too.
	.set	MAS0, 624
	.set	MAS1, 625
	.set	MAS2, 626
	.set	MAS3, 627
	.set	MAS7, 944

	.text
# Map 1 MB from 0xef000000 on, where the table is.
	.global	two_map
two_map:
	lis	3, 0x1002			# TLB1, entry 2
	mtspr	MAS0, 3
	lis	3, 0xc000
	ori	3, 3, 0x0500
	mtspr	MAS1, 3
	lis	3, 0xef00
	ori	3, 3, 0x000a
	mtspr	MAS2, 3
	lis	3, 0xef00
	ori	3, 3, 0x0005
	mtspr	MAS3, 3
	li	3, 0
	mtspr	MAS7, 3
	isync
	tlbwe
	isync
	blr

	.global	two_start
two_start:
	lis	1, (two_stack_end - 64)@ha
	addi	1, 1, (two_stack_end - 64)@l
	li	0, 0
	stw	0, 0(1)
	b	two_main

	.bss
	.balign	16
	.skip	4096
two_stack_end:
