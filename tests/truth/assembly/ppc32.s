# Every form of PowerPC access, one function each:
# int form_NAME(int flag, int *words), called with flags 0 and 1 by forms.c.
	.text

	.globl	form_plain
	.type	form_plain, @function
form_plain:
	lbz	5,1(4)
	lhz	6,2(4)
	lha	7,4(4)
	lwz	8,8(4)
	stb	5,12(4)
	sth	6,14(4)
	stw	8,16(4)
	add	3,5,6
	add	3,3,7
	add	3,3,8
	blr
	.size	form_plain, .-form_plain

	.globl	form_update
	.type	form_update, @function
form_update:
	mr	9,4
	lwzu	5,4(9)
	lbzu	6,3(9)
	lhau	7,5(9)
	stwu	5,8(9)
	stbu	6,4(9)
	sthu	7,4(9)
	li	10,4
	lwzux	8,9,10
	stwux	8,9,10
	subf	3,4,9
	add	3,3,5
	blr
	.size	form_update, .-form_update

	.globl	form_indexed
	.type	form_indexed, @function
form_indexed:
	li	10,8
	lwzx	5,4,10
	lbzx	6,10,4
	lwzx	7,0,4
	stwx	5,10,4
	li	10,13
	stbx	6,4,10
	stwx	7,0,4
	add	3,5,6
	blr
	.size	form_indexed, .-form_indexed

	.globl	form_overwritten
	.type	form_overwritten, @function
form_overwritten:
	addi	5,4,4
	lwz	5,4(5)
	mr	6,4
	li	7,20
	lwzx	7,6,7
	add	3,5,7
	blr
	.size	form_overwritten, .-form_overwritten

	.globl	form_conditions
	.type	form_conditions, @function
form_conditions:		# every condition field, xer, ctr and lr live across accesses
	mflr	0
	cmpwi	0,3,0
	cmpwi	1,3,1
	cmpwi	5,3,0
	cmpwi	6,3,1
	cmpwi	7,3,0
	li	5,-1
	addic	5,5,1
	li	6,77
	mtctr	6
	lwz	7,4(4)
	stw	7,40(4)
	li	3,0
	bne	0,1f
	addi	3,3,1
1:	bne	1,1f
	addi	3,3,2
1:	bne	5,1f
	addi	3,3,4
1:	bne	6,1f
	addi	3,3,8
1:	bne	7,1f
	addi	3,3,16
1:	addze	3,3
	mfctr	6
	add	3,3,6
	mtlr	0
	blr
	.size	form_conditions, .-form_conditions

	.globl	form_overflow
	.type	form_overflow, @function
form_overflow:			# the summary overflow outlives what sets only the carry
	lis	5,0x7fff
	addo	6,5,5
	li	9,4
	lwz	7,4(4)
	addic	8,7,1
	stw	8,44(4)
	addze	3,9
	cmpwi	0,3,4
	bns	0,1f
	addi	3,3,16
1:	mfxer	9
	srwi	9,9,29
	add	3,3,9
	blr
	.size	form_overflow, .-form_overflow

	.globl	form_multiple
	.type	form_multiple, @function
form_multiple:
	stwu	1,-48(1)
	stmw	27,24(1)
	lmw	27,4(4)
	add	3,27,31
	stmw	29,44(4)
	lmw	27,24(1)
	addi	1,1,48
	blr
	.size	form_multiple, .-form_multiple

	.globl	form_string
	.type	form_string, @function
form_string:
	lswi	5,4,10
	stswi	5,4,7
	li	10,6
	mtxer	10
	addi	9,4,20
	lswx	5,0,9
	li	10,11
	mtxer	10
	li	10,40
	stswx	5,4,10
	add	3,5,6
	blr
	.size	form_string, .-form_string

	.globl	form_reversed
	.type	form_reversed, @function
form_reversed:
	lwbrx	5,0,4
	li	10,4
	lhbrx	6,4,10
	stwbrx	5,4,10
	li	10,10
	sthbrx	6,4,10
	add	3,5,6
	blr
	.size	form_reversed, .-form_reversed

	.globl	form_floating
	.type	form_floating, @function
form_floating:
	lfs	1,4(4)
	lfd	2,8(4)
	stfs	1,16(4)
	stfd	2,24(4)
	li	10,32
	stfiwx	2,4,10
	mr	9,4
	lfdu	3,16(9)
	stfsu	1,24(9)
	lfsx	4,4,10
	li	10,48
	stfdx	3,4,10
	subf	3,4,9
	blr
	.size	form_floating, .-form_floating

	.globl	form_atomic
	.type	form_atomic, @function
form_atomic:
	addi	9,4,8
1:	lwarx	5,0,9
	add	6,5,3
	stwcx.	6,0,9
	bne-	1b
2:	lwarx	7,0,9
	cmpw	7,5
	bne-	3f
	li	8,5
	stwcx.	8,0,9
	bne-	2b
3:	mr	3,5
	blr
	.size	form_atomic, .-form_atomic

	.globl	form_zero
	.type	form_zero, @function
form_zero:			# 256 zeroed bytes on the stack, whatever the line's length
	stwu	1,-1040(1)
	addi	9,1,512
	rlwinm	9,9,0,0,23
	li	5,-1
	stw	5,0(9)
	stw	5,12(9)
	dcbz	0,9
	lwz	5,0(9)
	lwz	6,12(9)
	or	3,5,6
	addi	1,1,1040
	blr
	.size	form_zero, .-form_zero

	.globl	form_loop
	.type	form_loop, @function
form_loop:
	li	5,5
	mtctr	5
	addi	9,4,-4
	li	3,0
1:	lwzu	6,4(9)
	add	3,3,6
	bdnz	1b
	cmpwi	7,3,0
	beqlr	7
	stw	3,60(4)
	blr
	.size	form_loop, .-form_loop

	.globl	form_counted
	.type	form_counted, @function
form_counted:			# branches that count the bytes they go over
	li	5,4
	mtctr	5
	addi	9,4,-4
	li	3,0
	lwzu	6,4(9)
	add	3,3,6
	bdnz	$-8
	cmpwi	3,0
	beq	$+12
	lwz	5,20(4)
	add	3,3,5
	b	1f+4
1:	li	3,0
	lwz	5,24(4)
	add	3,3,5
	li	7,3
2:	lwz	6,0(4)
	add	3,3,6
	addic.	7,7,-1
	beq	0,$+8		# how compilers write branches that reach far
	b	2b
	blr
	.size	form_counted, .-form_counted

	.globl	form_pressure
	.type	form_pressure, @function
form_pressure:			# lr live and no register dead
	stwu	1,-112(1)
	stmw	14,32(1)
	lwz	14,4(4)
	stw	14,24(1)
	stw	0,28(1)
	lwz	0,24(1)
	mr	3,0
	lmw	14,32(1)
	addi	1,1,112
	blr
	.size	form_pressure, .-form_pressure

	.globl	form_own_index
	.type	form_own_index, @function
form_own_index:			# loads into a register of their own address, from the stack
	stwu	1,-48(1)
	lis	5,0x1234
	ori	5,5,0xf678
	stw	5,24(1)
	stw	3,28(1)
	li	8,24
	lwzx	8,8,1
	add	3,3,8
	li	8,28
	lwzx	8,1,8
	add	3,3,8
	li	8,26
	lhzx	8,8,1
	add	3,3,8
	li	8,30
	lhzx	8,1,8
	add	3,3,8
	li	8,27
	lbzx	8,8,1
	add	3,3,8
	li	8,29
	lbzx	8,1,8
	add	3,3,8
	li	8,24
	lhax	8,8,1
	add	3,3,8
	li	8,30
	lhax	8,1,8
	add	3,3,8
	li	8,24
	lwbrx	8,8,1
	add	3,3,8
	li	8,28
	lwbrx	8,1,8
	add	3,3,8
	li	8,26
	lhbrx	8,8,1
	add	3,3,8
	li	8,28
	lhbrx	8,1,8
	add	3,3,8
	addi	1,1,48
	blr
	.size	form_own_index, .-form_own_index
	.section	.note.GNU-stack,"",@progbits
