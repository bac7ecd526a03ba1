/* A frame where condition codes are live, as they are in code that no compiler made and that does not
   set them: int NAME(int flag, int *words), called by forms.c. */
#ifdef __arch64__
#define FRAME 208
#else
#define FRAME 112
#endif

	.text
	.globl	frame_compared
	.type	frame_compared, #function
frame_compared:
	save	%sp, -FRAME, %sp
	ld	[%i1+4], %l0
	ld	[%i1+8], %l1
	st	%l1, [%i1+12]
	ret
	restore	%l0, %l1, %o0
	.size	frame_compared, .-frame_compared
