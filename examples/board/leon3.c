/* The UART of LEON3 systems: APBUART of GRLIB. */
#include "board.h"

enum { DATA = 0, STATUS = 1, CONTROL = 2 };
enum { SENT = 4, TRANSMITS = 2 };

static volatile unsigned *const uart = (volatile unsigned *)0x80000100;

void board_putchar(char character)
{
    uart[CONTROL] = TRANSMITS;
    while (!(uart[STATUS] & SENT))
        ;
    uart[DATA] = (unsigned char)character;
}
