/* What both boards have in common. */
#include "board.h"
#include <inst/annotate.h>

void board_print(const char *text)
{
    for (; *text; text++)
        board_putchar(*text);
}

void board_print_number(unsigned number)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        board_putchar("0123456789abcdef"[number >> shift & 15]);
}

void board_halt(void)
{
    board_no_interrupts();
    board_print("done");
    board_putchar('\n');        /* the last access: what waits for the line may stop the board */
    for (;;)
        __asm__ volatile("");
}

/* Recording pauses, so that the ring keeps what led to the trap. */
void board_trap(unsigned number, unsigned pc, unsigned address)
{
    INST_PAUSE();
    board_print("trap ");
    board_print_number(number);
    board_print(" at ");
    board_print_number(pc);
    board_print(" address ");
    board_print_number(address);
    board_print("\n");
#ifdef DUMP
    INST_DUMP(board_putchar);
#endif
    board_halt();
}
