/* Forms of access that only 64-bit PowerPC has, one function each, for both ABIs:
   int form_NAME(int flag, int *words), called with flags 0 and 1 by forms.c; words has 64-byte
   alignment.  lq and stq are elsewhere (tests/runtime, tests/fuzz): QEMU 7.2 starts them over,
   and logs them twice, once something of the program is mapped to be shared. */
#if _CALL_ELF == 2
#define NAMES(name) .globl name; .type name, @function; name:
#define ENTRY(name) NAMES(name)
#define TABLE_ENTRY(name) NAMES(name) addis 2,12,.TOC.-name@ha; addi 2,2,.TOC.-name@l; \
	.localentry name, .-name
	.abiversion 2
#else
#define ENTRY(name) .globl name; .type name, @function; .section .opd,"aw"; .balign 8; \
	name: .quad .L.name,.TOC.@tocbase,0; .previous; .L.name:
#define TABLE_ENTRY(name) ENTRY(name)
#endif
	.machine power9
	.text

ENTRY(form_double)
	ld	5,8(4)
	lwa	6,4(4)
	std	5,64(4)
	li	10,16
	ldx	7,4,10
	lwax	8,4,10
	stdx	7,4,10
	ldbrx	9,0,4
	stdbrx	9,4,10
	mr	9,4
	ldu	5,8(9)
	stdu	5,64(9)
	ldux	6,9,10
	stdux	6,9,10
	lwaux	7,9,10
	subf	3,4,9
	add	3,3,8
	ld	9,0(4)
	ldx	9,4,10
	blr

ENTRY(form_reserve)		/* each size, done, and not done for want of a reservation */
	addi	9,4,8
1:	lbarx	5,0,9
	addi	5,5,1
	stbcx.	5,0,9
	bne-	1b
2:	lharx	6,0,9
	addi	6,6,1
	sthcx.	6,0,9
	bne-	2b
3:	lwarx	7,0,9
	addi	7,7,1
	stwcx.	7,0,9
	bne-	3b
4:	ldarx	8,0,9
	addi	8,8,1
	stdcx.	8,0,9
	bne-	4b
	stdcx.	8,0,9
	mfcr	3
	rlwinm	3,3,4,28,31
	blr

ENTRY(form_overflow)		/* the summary overflow outlives what sets only the carry */
	lis	5,0x7fff
	sldi	5,5,32
	addo	6,5,5
	li	9,4
	ld	7,8(4)
	addic	8,7,1
	std	8,40(4)
	addze	3,9
	cmpwi	0,3,4
	bns	0,1f
	addi	3,3,16
1:	mfxer	9
	srwi	9,9,29
	add	3,3,9
	blr

ENTRY(form_vector)		/* the address is rounded down */
	li	5,19
	lvx	0,4,5
	lvxl	1,0,4
	stvx	0,4,5
	li	6,70
	stvebx	1,4,6
	stvehx	1,4,6
	stvewx	1,4,6
	lvebx	2,4,6
	lvehx	3,4,6
	lvewx	4,4,6
	lvsl	5,4,6
	li	6,80
	stvxl	0,4,6
	vcmpequw. 2,0,1
	lvx	3,0,4
	mfcr	3
	rlwinm	3,3,28,28,31
	blr

ENTRY(form_vsx)
	li	5,16
	li	6,64
	lxvd2x	0,4,5
	lxvw4x	34,0,4
	stxvd2x	34,4,6
	stxvw4x	0,4,6
	lxvh8x	35,4,5
	lxvb16x	36,4,5
	lxvx	37,4,5
	stxvh8x	35,4,6
	stxvb16x 36,4,6
	stxvx	37,4,6
	lxv	12,32(4)
	stxv	12,80(4)
	lxsdx	1,4,5
	lxsspx	2,4,5
	lxsiwax	3,4,5
	lxsiwzx	4,4,5
	lxsibzx	5,4,5
	lxsihzx	6,4,5
	lxvdsx	7,4,5
	lxvwsx	8,4,5
	stxsdx	1,4,6
	stxsspx	2,4,6
	stxsiwx	3,4,6
	stxsibx	5,4,6
	stxsihx	6,4,6
	lxsd	2,24(4)
	lxssp	3,28(4)
	stxsd	2,96(4)
	stxssp	3,104(4)
	addi	9,4,32
	li	10,5
	sldi	10,10,56
	lxvl	38,9,10
	lxvll	39,9,10
	stxvl	38,9,10
	stxvll	39,9,10
	blr

ENTRY(form_own_index)		/* loads into a register of their own address, from the stack */
	stdu	1,-112(1)
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
	li	8,24
	ldx	8,8,1
	add	3,3,8
	li	8,24
	ldx	8,1,8
	add	3,3,8
	li	8,28
	lwax	8,8,1
	add	3,3,8
	li	8,24
	lwax	8,1,8
	add	3,3,8
	li	8,24
	ldbrx	8,8,1
	add	3,3,8
	li	8,24
	ldbrx	8,1,8
	add	3,3,8
	addi	1,1,112
	blr

ENTRY(form_below)		/* values below the stack pointer, and lr, ctr, xer in use */
	mflr	0
	std	3,-8(1)
	std	4,-288(1)
	stb	3,-100(1)
	mtctr	3
	li	5,-1
	addic	5,5,1
	ld	6,-288(1)
	lwz	7,4(6)
	ld	3,-8(1)
	lbz	8,-100(1)
	adde	3,3,8
	mfctr	9
	add	3,3,9
	mtlr	0
	blr

TABLE_ENTRY(form_table)		/* data by the table of contents, which the linker may shorten */
	addis	5,2,.Lcell@toc@ha
	ld	5,.Lcell@toc@l(5)
	ld	6,8(5)
	addis	7,2,cells@toc@ha
	lwa	8,cells@toc@l(7)
	addis	9,2,cells@toc@ha
	std	6,cells@toc@l(9)
	add	3,6,8
	blr

ENTRY(form_floating)
	mr	9,4
	lfdu	1,8(9)
	li	10,8
	stfdux	1,9,10
	lfs	2,4(4)
	lfsx	3,4,10
	lfiwax	4,4,10
	lfiwzx	5,4,10
	stfiwx	4,4,10
	fcmpu	6,1,1
	stfs	2,64(4)
	li	3,1
	beq	6,1f
	li	3,2
1:	blr

ENTRY(form_block)
	addi	5,4,100
	stw	3,0(5)
	add	6,3,3
#if !defined __LITTLE_ENDIAN__
	stdu	1,-96(1)
	stmw	28,48(1)
	lmw	28,16(4)
	stmw	28,64(4)
	lswi	5,4,10
	stswi	5,4,7
	lmw	28,48(1)
	addi	1,1,96
#endif
	blr

ENTRY(form_operands)		/* lr live, no register dead, each that could carry an address used */
	li	3,0
	li	5,1
	li	6,2
	li	7,3
	li	8,4
	li	9,5
	li	10,6
	mr	12,4
	li	11,16
	lbzux	0,12,11
	add	3,3,0
	li	0,16
	lbzux	11,12,0
	add	3,3,11
	li	11,8
	lhbrx	0,12,11
	add	3,3,0
	lwzx	0,12,11
	stwx	0,12,11
	li	0,16
	stwx	11,12,0
	stwux	11,12,0
	ldx	11,12,0
	add	3,3,11
	mr	11,4
	ldx	12,11,0
	add	3,3,12
	li	12,24
	stdux	0,11,12
	lharx	0,11,12
	add	0,0,3
	sthcx.	0,11,12
	add	3,3,11
	subf	3,4,3
	add	3,3,12
	li	11,16
	stdx	0,11,1
	ldx	12,11,1
	add	3,3,12
	add	3,3,11
	add	3,3,0
	add	3,3,5
	add	3,3,6
	add	3,3,7
	add	3,3,8
	add	3,3,9
	add	3,3,10
	blr

ENTRY(form_counted)		/* branches that count the bytes they go over */
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
	beq	0,$+8		/* how compilers write branches that reach far */
	b	2b
	blr

	.section .toc,"aw"
	.balign 8
.Lcell:	.quad	cells
	.data
	.balign 16
cells:	.quad	0x1122334455667788, 0x99aabbccddeeff00
	.section .note.GNU-stack,"",@progbits
