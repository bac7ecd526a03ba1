! Start-up code for LEON3: trap table, register windows, stack, .bss.
!
! Trap entries have four instructions: this file is assembled by the plain compiler.  Handlers save
! %g1 to %g7 and %y: probes of instrumented code that they call change %g5 and %g6.

	.equ	WINDOWS, 8
	.equ	PSR_OFF, 0x0fc0			! supervisor, no interrupts, traps off
	.equ	PSR_ON, 0x0fe0			! the same with traps on

	.macro	trap handler
	rd	%psr, %l0
	rd	%tbr, %l3
	ba	\handler
	 nop
	.endm

	.section .text.start, "ax"
	.align	4096
trap_table:
	trap	start				! 0: reset
	.rept	4
	trap	unhandled
	.endr
	trap	window_overflow			! 5
	trap	window_underflow		! 6
	.rept	15
	trap	unhandled
	.endr
	trap	timer				! 0x16: interrupt 6
	.rept	233
	trap	unhandled
	.endr

	.global	_start
_start:
start:
	wr	%g0, PSR_OFF, %psr		! window 0
	nop
	nop
	nop
	wr	%g0, 2, %wim			! window 1 is the first to be spilled
	set	trap_table, %g1
	wr	%g1, %tbr
	nop
	nop
	nop
	set	stack_end, %sp
	sub	%sp, 96, %sp
	clr	%fp
	set	bss_start, %g1
	set	bss_end, %g2
1:	cmp	%g1, %g2
	bgeu	2f
	 nop
	st	%g0, [%g1]
	ba	1b
	 add	%g1, 4, %g1
2:	wr	%g0, PSR_ON, %psr
	nop
	nop
	nop
	call	main
	 nop
	call	board_halt
	 nop

! Spill the window after the trap's, and make it the first one that traps.
window_overflow:
	rd	%wim, %l3
	mov	%g1, %l7
	srl	%l3, 1, %g1
	sll	%l3, WINDOWS - 1, %l4
	or	%l4, %g1, %g1
	save
	wr	%g1, %wim
	nop
	nop
	nop
	std	%l0, [%sp]
	std	%l2, [%sp + 8]
	std	%l4, [%sp + 16]
	std	%l6, [%sp + 24]
	std	%i0, [%sp + 32]
	std	%i2, [%sp + 40]
	std	%i4, [%sp + 48]
	std	%i6, [%sp + 56]
	restore
	mov	%l7, %g1
	wr	%l0, %psr
	nop
	nop
	nop
	jmp	%l1
	 rett	%l2

window_underflow:
	rd	%wim, %l3
	sll	%l3, 1, %l4
	srl	%l3, WINDOWS - 1, %l5
	or	%l4, %l5, %l5
	wr	%l5, %wim
	nop
	nop
	nop
	restore
	restore
	ldd	[%sp], %l0
	ldd	[%sp + 8], %l2
	ldd	[%sp + 16], %l4
	ldd	[%sp + 24], %l6
	ldd	[%sp + 32], %i0
	ldd	[%sp + 40], %i2
	ldd	[%sp + 48], %i4
	ldd	[%sp + 56], %i6
	save
	save
	wr	%l0, %psr
	nop
	nop
	nop
	jmp	%l1
	 rett	%l2

! Save the task on its stack, let board_tick choose the next one, and go on with that.
	.equ	PSR, 96
	.equ	Y, 108
	.equ	GLOBALS, 112
	.equ	INS, 144
	.equ	FRAME, 176
	.weak	board_tick

! Call what code that records inline is told by, if it is there, with where pc and npc are.
	.weak	inst_interrupted
	.weak	inst_resumed
	.macro	report function, place
	set	\function, %o1
	tst	%o1
	be	9f
	 nop
	call	%o1
	 add	%sp, \place, %o0
9:
	.endm

timer:
	rd	%wim, %l4
	mov	1, %l5
	sll	%l5, %l0, %l5			! by the number of this window
	andcc	%l4, %l5, %g0
	be	1f
	 nop
	mov	%g1, %l6			! it must not be used: spill the next one first
	srl	%l4, 1, %g1
	sll	%l4, WINDOWS - 1, %l7
	or	%l7, %g1, %g1
	save
	wr	%g1, %wim
	nop
	nop
	nop
	std	%l0, [%sp]
	std	%l2, [%sp + 8]
	std	%l4, [%sp + 16]
	std	%l6, [%sp + 24]
	std	%i0, [%sp + 32]
	std	%i2, [%sp + 40]
	std	%i4, [%sp + 48]
	std	%i6, [%sp + 56]
	restore
	mov	%l6, %g1
1:	sub	%fp, FRAME, %sp
	st	%l0, [%sp + PSR]
	st	%l1, [%sp + PSR + 4]
	st	%l2, [%sp + PSR + 8]
	rd	%y, %l4
	st	%l4, [%sp + Y]
	st	%g1, [%sp + GLOBALS + 4]
	std	%g2, [%sp + GLOBALS + 8]
	std	%g4, [%sp + GLOBALS + 16]
	std	%g6, [%sp + GLOBALS + 24]
	std	%i0, [%sp + INS]
	std	%i2, [%sp + INS + 8]
	std	%i4, [%sp + INS + 16]
	std	%i6, [%sp + INS + 24]
	or	%l0, 0xf00, %l4			! no interrupts, but traps
	wr	%l4, 0x20, %psr
	nop
	nop
	nop
	.rept	WINDOWS - 2			! spill all windows but this one
	save	%sp, -96, %sp
	.endr
	.rept	WINDOWS - 2
	restore
	.endr
	report	inst_interrupted, PSR + 4
	call	board_tick
	 mov	%sp, %o0

	.global	board_go_on
board_go_on:
	rd	%psr, %l1
	or	%l1, 0xf00, %l1			! no interrupts, but traps
	wr	%l1, %psr
	nop
	nop
	nop
	mov	%o0, %l0
	sub	%l0, 96, %sp			! a frame below the task's
	report	inst_resumed, 96 + PSR + 4
	mov	%l0, %g1
	rd	%psr, %g2
	or	%g2, 0xf00, %g2
	andn	%g2, 0x20, %g2
	wr	%g2, %psr			! traps off
	nop
	nop
	nop
	and	%g2, WINDOWS - 1, %g3		! this window, and the one after the next: WIM
	add	%g3, 2, %g4
	and	%g4, WINDOWS - 1, %g4
	mov	1, %g5
	sll	%g5, %g4, %g5
	wr	%g5, %wim
	nop
	nop
	nop
	mov	%g1, %sp
	ldd	[%sp + INS], %i0
	ldd	[%sp + INS + 8], %i2
	ldd	[%sp + INS + 16], %i4
	ldd	[%sp + INS + 24], %i6
	restore					! the task's window, which was spilled
	ldd	[%sp], %l0
	ldd	[%sp + 8], %l2
	ldd	[%sp + 16], %l4
	ldd	[%sp + 24], %l6
	ldd	[%sp + 32], %i0
	ldd	[%sp + 40], %i2
	ldd	[%sp + 48], %i4
	ldd	[%sp + 56], %i6
	save
	sub	%fp, FRAME, %sp
	ld	[%sp + PSR], %l0
	ld	[%sp + PSR + 4], %l1
	ld	[%sp + PSR + 8], %l2
	ld	[%sp + Y], %l4
	wr	%l4, %y
	andn	%l0, 0x3f, %l0
	or	%l0, %g3, %l0			! in this window: CWP from %g3
	ld	[%sp + GLOBALS + 4], %g1
	ldd	[%sp + GLOBALS + 8], %g2
	ldd	[%sp + GLOBALS + 16], %g4
	ldd	[%sp + GLOBALS + 24], %g6
	wr	%l0, %psr
	nop
	nop
	nop
	jmp	%l1
	 rett	%l2

! Report the trap on a stack of its own, with all windows free.
unhandled:
	srl	%l3, 4, %l3
	and	%l3, 0xff, %g2
	mov	%l1, %g3
	mov	%l2, %g4
	wr	%g0, PSR_OFF, %psr
	nop
	nop
	nop
	wr	%g0, 2, %wim
	nop
	nop
	nop
	set	stack_end - FRAME, %sp
	clr	%fp
	mov	%g2, %l0
	mov	%g3, %l1
	st	%g3, [%sp + PSR + 4]
	st	%g4, [%sp + PSR + 8]
	wr	%g0, PSR_ON, %psr
	nop
	nop
	nop
	report	inst_interrupted, PSR + 4
	mov	%l0, %o0
	mov	%l1, %o1
	clr	%o2
	call	board_trap
	 nop
