/* What the programs of this directory need of a board. */
#ifndef BOARD_H
#define BOARD_H

void board_putchar(char character);
/* The end of a program: the processor waits until it is stopped or reset. */
void board_halt(void) __attribute__((noreturn));
/* Called by start-up code for a trap that nothing handles: its number, where it came, and the address
   of the access where the processor states it. */
void board_trap(unsigned number, unsigned pc, unsigned address) __attribute__((noreturn));

void board_print(const char *text);
void board_print_number(unsigned number);

#endif
