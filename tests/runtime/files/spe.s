# Every load and store of SPE, displaced or indexed; the result depends on the upper halves of
# registers that were loaded before other accesses.
	.text
	.globl	run
	.type	run, @function
run:
	stwu	1, -96(1)
	stmw	14, 24(1)
	lis	9, cells@ha
	la	9, cells@l(9)
	li	10, 8
	li	19, 48
	evldd	5, 0(9)
	evldw	6, 0(9)
	evlhhesplat 8, 2(9)
	evlhhousplat 11, 4(9)
	evlhhossplatx 12, 9, 10
	evlwhe	14, 0(9)
	evlwhou	15, 4(9)
	evlwhosx 16, 9, 10
	evlwwsplat 17, 4(9)
	evstdd	5, 16(9)
	evstdwx	5, 9, 19
	evstdh	6, 24(9)
	evstwhe	5, 32(9)
	evstwho	5, 36(9)
	evstwwe	5, 40(9)
	evstwwo	5, 44(9)
	evaddw	3, 5, 6
	evaddw	3, 3, 14
	evaddw	3, 3, 15
	evxor	3, 3, 17
	evldh	7, 64(9)	# these two qemu 7.2 loads wrong
	evlwhsplat 18, 72(9)
	evmergehi 4, 3, 3
	add	3, 3, 4
	clrlwi	3, 3, 25
	lmw	14, 24(1)
	addi	1, 1, 96
	blr
	.size	run, .-run
	.data
	.balign	8
	.globl	cells
cells:	.long	0x11223344, 0x85667788, 0x99aabbcc, 0xddeeff00
	.skip	48
	.long	1, 2, 3, 4
	.section .note.GNU-stack,"",@progbits
