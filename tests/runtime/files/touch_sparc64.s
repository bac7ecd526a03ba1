! touch(uint32_t *cell): one load of 4 bytes, reported as translated code does.
	.section .debug_none,"",@progbits
	.xword "inst.level.values"
	.text
	.register %g6, #scratch
	.globl touch
	.type touch, #function
touch:
	save %sp, -192, %sp
	add %i0, 0, %g6
	call "inst.ldw.o1"
	 ld [%i0], %o1
	ret
	restore
	.size touch, .-touch
	.section .note.GNU-stack,"",@progbits
