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
	.rept	249
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
	std	%g0, [%g1]
	ba	1b
	 add	%g1, 8, %g1
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

! Report the trap on a stack of its own, with all windows free.
unhandled:
	srl	%l3, 4, %l3
	and	%l3, 0xff, %g2
	mov	%l1, %g3
	wr	%g0, PSR_OFF, %psr
	nop
	nop
	nop
	wr	%g0, 2, %wim
	nop
	nop
	nop
	set	stack_end - 96, %sp
	clr	%fp
	mov	%g2, %o0
	mov	%g3, %o1
	clr	%o2
	wr	%g0, PSR_ON, %psr
	nop
	nop
	nop
	call	board_trap
	 nop
