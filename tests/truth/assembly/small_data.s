# Small data as assembly by hand reads and writes it: int small_forms(int flag, int *words).
# Everything is live here, so every probe has to find its registers on the stack.
	.section .sdata,"aw"
	.align	3
	.globl	shared
	.type	shared, @object
	.size	shared, 4
shared:	.long	11
wide:	.double	2.5
halves:	.short	-3, 4
row:	.long	1, 2, 3, 4
	.section .sbss,"aw",@nobits
	.align	2
empty:	.space	8
	.text
	.globl	small_forms
	.type	small_forms, @function
small_forms:
	stwu	1,-32(1)
	stmw	28,16(1)
	lwz	5,shared@sda21(0)	# the linker writes r13 here
	add	5,5,3
	stw	5,shared@sda21(0)
	lwz	6,shared@sdarel(13)
	addi	6,6,1
	stw	6,empty@sdarel(13)
	la	7,row@sda21(0)
	lwz	8,4(7)
	lwzu	9,8(7)
	addi	10,13,row@sdarel
	stw	8,12(10)
	lmw	29,row+4@sda21(0)
	lha	11,halves@sda21(0)
	lhz	12,halves+2@sda21(0)
	sth	12,halves@sda21(0)
	stb	9,empty+5@sda21(0)
	lbz	0,empty+5@sdarel(13)
	add	9,9,0
	lfd	1,wide@sda21(0)
	fadd	1,1,1
	stfd	1,wide@sda21(0)
	li	0,shared@sdarel
	lwzx	28,13,0
	stwx	28,13,0
	add	9,9,28
	li	11,4			# both registers that could have the address
	la	12,row@sda21(0)
	lwzx	12,12,11
	add	9,9,12
	la	11,row@sda21(0)
	lwz	11,8(11)
	add	9,9,11
	lha	11,halves@sda21(0)
	lhz	12,halves@sda21(0)
	stw	13,12(1)		# r13 itself
	lwz	28,12(1)
	lis	0,_SDA_BASE_@ha
	addic	0,0,_SDA_BASE_@l
	subf	28,28,0
	stw	28,0(4)			# 0: it is where the program's start left it
	stw	5,4(4)
	stw	6,8(4)
	stw	9,12(4)
	stw	11,16(4)
	stw	12,20(4)
	stmw	29,24(4)
	lwz	3,empty@sda21(0)
	add	3,3,9
	lmw	28,16(1)
	addi	1,1,32
	blr
	.size	small_forms, .-small_forms
	.section .note.GNU-stack,"",@progbits
