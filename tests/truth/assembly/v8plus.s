! 32-bit code for V9: registers of 64 bits and floating-point registers that V8 has not.
	.text
	.globl	extended
	.type	extended, #function
extended:			! void extended(long long *words): 64 bytes, of which 16 are set
	ldx	[%o0], %g2	! two different halves
	stx	%g2, [%o0+8]
	sllx	%g2, 4, %o3	! a register of which V8 has no pair
	stx	%o3, [%o0+16]
	ldx	[%o0+16], %g0
	ldd	[%o0+8], %f40
	std	%f40, [%o0+24]
	clrx	[%o0+32]
	stx	%g0, [%o0+40]
	ldx	[%o0+16], %g3
	cmp	%g2, %g3
	be	%xcc, 1f
	stx	%g3, [%o0+48]
	bne,a	%xcc, 1f
	stx	%g2, [%o0+56]
1:	ldd	[%o0+8], %o4	! what was stored, as V8 loads it
	ldd	[%o0+16], %o4
	ldd	[%o0+24], %o4
	ldd	[%o0+32], %o4
	ldd	[%o0+40], %o4
	ldd	[%o0+48], %o4
	ldd	[%o0+56], %o4
	retl
	stx	%g2, [%o0]
	.size	extended, .-extended
