/* The UART of LEON3 systems: APBUART of GRLIB; its timer and interrupt controller. */
#include "board.h"

struct board_frame {
    unsigned window[24];        /* where the register window is spilled to, and what C expects */
    unsigned psr, pc, npc, y;
    unsigned unused, globals[7], ins[8];
};

enum { SUPERVISOR = 0x80, BEFORE = 0x40, FRAME_POINTER = 6, LEAST_FRAME = 96 };
enum { TIMER_LINE = 6, RELOAD = 5, TIMER_CONTROL = 6, MASK = 16 };
enum { ENABLE = 1, LOAD = 4, INTERRUPTS = 8 };

static volatile unsigned *const interrupts = (volatile unsigned *)0x80000200;
static volatile unsigned *const timer = (volatile unsigned *)0x80000300;

struct board_frame *board_task(void *stack_end, void (*entry)(void))
{
    char *caller = (char *)stack_end - LEAST_FRAME;
    struct board_frame *frame = (struct board_frame *)(caller - sizeof *frame);
    frame->psr = SUPERVISOR | BEFORE;
    frame->pc = (unsigned)entry;
    frame->npc = (unsigned)entry + 4;
    frame->ins[FRAME_POINTER] = (unsigned)caller;
    return frame;
}

void board_interrupt_after(unsigned units)
{
    interrupts[MASK] = 1 << TIMER_LINE;
    timer[RELOAD] = units;
    timer[TIMER_CONTROL] = ENABLE | LOAD | INTERRUPTS;
}

void board_no_interrupts(void)
{
    interrupts[MASK] = 0;
}

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
