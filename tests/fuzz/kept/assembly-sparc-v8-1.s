! A barrier (a load for nobody) with a nop behind it: the probe's own nop is another.
	.text
	.globl fuzz0
	.type fuzz0, #function
fuzz0:
	ldub [%o1+100],%o3
	ldstub [%o1+51],%g0
	nop
	retl
	add %o0,%o3,%o0
	.size fuzz0, .-fuzz0
