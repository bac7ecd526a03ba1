# A stack that no compiler would leave, at an odd multiple of 8, under vector registers:
# int crooked(int *words), of which the first 16 are aligned to 64 bytes.  AltiVec's stores go
# to the next lower multiple of 16, also those that save registers and read values.
	.machine altivec
	.text
	.globl	crooked
	.type	crooked, @function
crooked:
	mflr	0
	stw	0,4(1)
	stwu	1,-40(1)
	stw	31,36(1)
	mr	31,3
	mtfsb1	30		# rounding is a part of what hooks must keep
	li	5,16
	lvx	0,0,31
	lvx	3,31,5
	vadduwm	4,0,3
	li	6,32
	stvx	4,31,6
	lwz	7,32(31)
	lfd	2,0(31)
	li	6,37
	lvebx	5,31,6
	li	6,42
	stvehx	4,31,6
	lwz	8,40(31)
	vadduwm	4,4,0
	li	6,48
	stvx	4,31,6
	stfd	2,8(31)
	mffs	1
	stfd	1,24(1)
	lwz	3,28(1)
	mtfsb0	30
	rlwinm	3,3,0,28,31
	lwz	31,36(1)
	addi	1,1,40
	lwz	0,4(1)
	mtlr	0
	blr
	.size	crooked, .-crooked
	.section	.note.GNU-stack,"",@progbits
