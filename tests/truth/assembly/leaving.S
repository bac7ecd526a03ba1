/* Functions that leave their stack for another and still read what they leave; a buffer
   below the new stack pointer has that pointer, and words which are read after it is set.
   int leaving_NAME(int flag, long *words) */
#ifdef __sparc__
#ifdef __arch64__
	.register %g2, #scratch
	.register %g3, #scratch
#define LOAD ldx
#define STORE stx
#define FLUSH flushw
#define FRAME 176
#define BIAS 2047
#else
#define LOAD ld
#define STORE st
#define FLUSH ta 3
#define FRAME 96
#define BIAS 0
#endif
#define FUNCTION(NAME, ...)						\
	.globl	NAME;							\
	.type	NAME, #function;					\
NAME:	save	%sp, -FRAME, %sp;					\
	mov	%sp, %l6;						\
	add	%sp, -512, %sp;						\
	add	%sp, 256+BIAS, %l5;					\
	STORE	%l6, [%l5];						\
	STORE	%i7, [%l5+__SIZEOF_LONG__];				\
	LOAD	[%i1], %l0;						\
	STORE	%l0, [%l5+128];						\
	STORE	%l0, [%l5+224];						\
	mov	%o7, %l4;						\
	FLUSH;								\
	__VA_ARGS__;							\
	LOAD	[%l5+128], %l1;						\
	cmp	%i0, 1;							\
	ba	9f;							\
	LOAD	[%l5+224], %l2;						\
9:	STORE	%l1, [%i1+64];						\
	addx	%g0, 0, %l3;						\
	st	%l3, [%i1+72];						\
	add	%l1, %l2, %i0;						\
	ret;								\
	restore;							\
	.size	NAME, .-NAME
	.text
FUNCTION(leaving_load, LOAD [%l5], %sp)
FUNCTION(leaving_move, mov %l6, %sp)
#ifndef __arch64__
FUNCTION(leaving_pair, ldd [%l5], %sp)
#else
FUNCTION(leaving_pair, LOAD [%l5], %sp; LOAD [%l5+8], %o7)
#endif
#else
#ifdef __powerpc64__
#define LOAD ld
#define STORE std
#define UPDATE stdu
#else
#define LOAD lwz
#define STORE stw
#define UPDATE stwu
#endif
#if defined __powerpc64__ && _CALL_ELF != 2
#define BEGIN(NAME) .section .opd,"aw"; .balign 8; NAME: .quad .L.NAME,.TOC.@tocbase,0; .text; .L.NAME:
#else
#define BEGIN(NAME) .text; NAME:
#endif
#define FUNCTION(NAME, ...)						\
	.globl	NAME;							\
	.type	NAME, @function;					\
	BEGIN(NAME)							\
	UPDATE	1,-64(1);						\
	mr	6,1;							\
	UPDATE	1,-2048(1);						\
	addi	5,1,1024;						\
	STORE	6,0(5);							\
	LOAD	7,0(4);							\
	STORE	7,16(5);						\
	STORE	7,800(5);						\
	STORE	7,-512(5);						\
	__VA_ARGS__;							\
	LOAD	7,16(5);						\
	cmpwi	3,0;							\
	LOAD	8,-512(5);						\
	LOAD	9,800(5);						\
	b	9f;							\
9:	STORE	9,64(4);						\
	mfcr	9;							\
	rlwinm	9,9,3,31,31;						\
	stw	9,72(4);						\
	add	3,7,8;							\
	addi	1,1,64;							\
	blr
FUNCTION(leaving_load, LOAD 1,0(5))
FUNCTION(leaving_move, mr 1,6)
FUNCTION(leaving_pair, LOAD 1,0(5); LOAD 10,0(4))
#endif
	.section	.note.GNU-stack,"",@progbits
