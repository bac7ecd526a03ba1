/* void known(void): where its branch is, which is not taken, general register n holds n times
   0x01010101, and the others what they are given here; but for those with a part of their own.
   With OWN all that sites may use is read later, so that no register is dead; with DEAD_LINK all
   but the return address. */
#ifdef __sparc__

#ifdef __arch64__
#define LEAST 176
	.register %g2, #scratch
	.register %g3, #scratch
#ifdef OWN
	.register %g6, #scratch
#endif
#else
#define LEAST 96
#endif
#define FILL(number, name) set number * 0x01010101, %name;

	.text
	.global	known
	.type	known, #function
known:
	save	%sp, -LEAST - 32, %sp
1:	set	0x12345678, %l0
	wr	%l0, 0, %y
	FILL(1, g1) FILL(2, g2) FILL(3, g3) FILL(4, g4)
#if defined OWN || defined __arch64__
	FILL(5, g5)
#endif
#ifdef OWN
	FILL(6, g6)
#endif
	FILL(8, o0) FILL(9, o1) FILL(10, o2) FILL(11, o3) FILL(12, o4) FILL(13, o5) FILL(15, o7)
	FILL(16, l0) FILL(17, l1) FILL(18, l2) FILL(19, l3)
	FILL(20, l4) FILL(21, l5) FILL(22, l6) FILL(23, l7)
	FILL(24, i0) FILL(25, i1) FILL(26, i2) FILL(27, i3) FILL(28, i4) FILL(29, i5)
	cmp	%g0, %l0		! less, with a borrow
	be	1b
	 nop
#ifndef DEAD_LINK
	add	%o7, %o0, %o0
#endif
#ifdef OWN
	add	%g5, %o0, %o0
	add	%g6, %o0, %o0
#endif
	ret
	 restore
	.size	known, .-known

#else

#ifdef __powerpc64__
#define STORE std
#define LOAD ld
#define PUSH stdu
#define WORD 8
#define SAVED 16
#if _CALL_ELF == 2
	.abiversion 2
#define ENTRY(name) .globl name; .type name, @function; name:
#else
#define ENTRY(name) .globl name; .type name, @function; .section .opd,"aw"; .balign 8; \
	name: .quad .L.name,.TOC.@tocbase,0; .previous; .L.name:
#endif
#else
#define STORE stw
#define LOAD lwz
#define PUSH stwu
#define WORD 4
#define SAVED 4
#define ENTRY(name) .globl name; .type name, @function; name:
#endif
#define FRAME 320
#define FILL(n) lis n, n * 0x101; ori n, n, n * 0x101;
#define SAVE(n) STORE n, FRAME - 18 * WORD + (n - 14) * WORD(1);
#define BACK(n) LOAD n, FRAME - 18 * WORD + (n - 14) * WORD(1);
#define READ(n) add 3, 3, n;
#define ALL(do) do(14) do(15) do(16) do(17) do(18) do(19) do(20) do(21) do(22) do(23) do(24) \
	do(25) do(26) do(27) do(28) do(29) do(30) do(31)

	.text
ENTRY(known)
	mflr	0
	STORE	0, SAVED(1)
	mfcr	12
	PUSH	1, -FRAME(1)
	STORE	12, 112(1)
	ALL(SAVE)
1:	lis	3, 0x1234
	ori	3, 3, 0x5678
	mtcrf	255, 3
	lis	3, 0x2000
	ori	3, 3, 0x15
	mtxer	3
	lis	3, 0x2122
	ori	3, 3, 0x2324
	mtctr	3
	lis	3, 0x3132
	ori	3, 3, 0x3334
	mtlr	3
	FILL(0) FILL(3) FILL(4) FILL(5) FILL(6) FILL(7) FILL(8) FILL(9) FILL(10) FILL(11) FILL(12)
	ALL(FILL)
	beq	1b
#ifdef OWN
	READ(0) READ(4) READ(5) READ(6) READ(7) READ(8) READ(9) READ(10) READ(11) READ(12)
	ALL(READ)
#ifndef DEAD_LINK
	mflr	4
	add	3, 3, 4
#endif
#endif
	LOAD	12, 112(1)
	mtcrf	255, 12
	ALL(BACK)
	addi	1, 1, FRAME
	LOAD	0, SAVED(1)
	mtlr	0
	blr

#endif
	.section	.note.GNU-stack,"",@progbits
