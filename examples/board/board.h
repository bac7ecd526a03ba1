/* What the programs of this directory need of a board. */
#ifndef BOARD_H
#define BOARD_H

void board_putchar(char character);
void board_no_interrupts(void);
/* The end of a program: the processor waits until it is stopped or reset. */
void board_halt(void) __attribute__((noreturn));
/* Called by start-up code for a trap that nothing handles: its number, where it came, and the address
   of the access where the processor states it. */
void board_trap(unsigned number, unsigned pc, unsigned address) __attribute__((noreturn));

/* Tasks: what a task was interrupted with lies on its stack, in a frame.  Make the frame of a task that
   has not run; go on with one; interrupt the processor once, after so many units of its timer. */
struct board_frame;
struct board_frame *board_task(void *stack_end, void (*entry)(void));
void board_go_on(struct board_frame *frame) __attribute__((noreturn));
void board_interrupt_after(unsigned units);
/* Defined by programs with tasks: called at the interrupt with the frame of the task that it came in,
   returns that of the next one. */
struct board_frame *board_tick(struct board_frame *frame) __attribute__((weak));

/* The same, on e500: called at a TLB miss of data with the address, writes the entry of the TLB. */
void board_miss(unsigned address) __attribute__((weak));

/* The same: called at the critical interrupt of the watchdog timer. */
void board_watchdog(void) __attribute__((weak));

void board_print(const char *text);
void board_print_number(unsigned number);

#endif
