/* The UART of MPC8544: a 16550. */
#include "board.h"

enum { DATA = 0, STATUS = 5 };
enum { EMPTY = 0x20 };

static volatile unsigned char *const uart = (volatile unsigned char *)0xe0004500;

void board_putchar(char character)
{
    while (!(uart[STATUS] & EMPTY))
        ;
    uart[DATA] = character;
}
