/* Distances from the labels of calls, for all PowerPC targets:
   int form_measured(int flag, int *words), called with flags 0 and 1 by forms.c.  */
	.text
	.globl	form_measured
	.type	form_measured, @function
#if defined __powerpc64__ && _CALL_ELF != 2
	.section .opd,"aw"
	.balign	8
form_measured:
	.quad	.L.form_measured, .TOC.@tocbase, 0
	.previous
.L.form_measured:
#else
form_measured:
#endif
	/* From one that is counted, then from one that is not, as it goes directly after itself. */
	mflr	8
	mr	7,4
0:	bl	leave
	mflr	9
	lwz	3,(9f-0b-4)(9)
	addi	10,9,9f-0b
	lwz	5,-4+4(10)
0:	bl	1f
1:	mflr	9
	lwz	6,9f-0b-4(9)
	lwz	4,4(7)
	add	3,3,4
	add	3,3,5
	add	3,3,6
	mtlr	8
	blr
9:	.long	0x55, 0x66
leave:	blr
	.section .note.GNU-stack,"",@progbits
