/* The UART of MPC8544: a 16550; its timer. */
#include "board.h"

struct board_frame {
    unsigned back, link, general[32];   /* r1 is `back` */
    unsigned condition, exception, count, linked, pc, state, unused[4];
};

enum { EXTERNAL_INTERRUPTS = 0x8000, CRITICAL_INTERRUPTS = 0x20000 };

struct board_frame *board_task(void *stack_end, void (*entry)(void))
{
    unsigned *caller = (unsigned *)stack_end - 4;
    struct board_frame *frame = (struct board_frame *)caller - 1;
    *caller = 0;
    frame->back = (unsigned)caller;
    frame->pc = (unsigned)entry;
    frame->state = EXTERNAL_INTERRUPTS | CRITICAL_INTERRUPTS;
    return frame;
}

/* The decrementer: clear its interrupt (TSR), enable it (TCR), let it count.  A unit is that of LEON3
   at 40 MHz. */
void board_interrupt_after(unsigned units)
{
    __asm__ volatile("mtspr 336, %0\n\tmtspr 340, %1\n\tmtspr 22, %2"
                     : : "r"(0x08000000), "r"(0x04000000), "r"(units * 10));
}

void board_no_interrupts(void)
{
    __asm__ volatile("wrteei 0");
}

enum { DATA = 0, STATUS = 5 };
enum { EMPTY = 0x20 };

static volatile unsigned char *const uart = (volatile unsigned char *)0xe0004500;

void board_putchar(char character)
{
    while (!(uart[STATUS] & EMPTY))
        ;
    uart[DATA] = character;
}
