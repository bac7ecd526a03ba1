/* Two tasks that the timer switches between, at moments that look random: all of it is instrumented, the
   interrupt's handler too. */
#include "board.h"

enum { TICKS = 200, LONG = 200000, STACK = 4096, CELLS = 16 };

static volatile unsigned ticks;
static unsigned random = 1;
static struct board_frame *waiting;
static char stacks[2][STACK] __attribute__((aligned(16)));
static volatile unsigned finished;
static unsigned first_cells[CELLS], second_sums[2];
static unsigned char second_bytes[CELLS];

/* Let the next interrupt come after 256 to 2303 units, some 10 to 60 microseconds; towards the end after
   longer, so that a slow emulator gets there. */
static void set_timer(void)
{
    random = random >> 1 ^ (random & 1 ? 0xedb88320 : 0);
    board_interrupt_after(ticks < TICKS ? 256 + (random & 2047) : LONG);
}

struct board_frame *board_tick(struct board_frame *frame)
{
    struct board_frame *next = waiting;
    waiting = frame;
    ticks++;
    set_timer();
    return next;
}

static void first_task(void)
{
    for (unsigned n = 0; ticks < TICKS; n++)
        first_cells[n % CELLS] += n;
    finished = 1;
    for (;;)
        __asm__ volatile("");
}

static void second_task(void)
{
    for (unsigned n = 0; ticks < TICKS; n++) {
        second_bytes[n % CELLS] = n;
        second_sums[n & 1] += second_bytes[(n + 3) % CELLS];
    }
    while (!finished)
        for (int n = 0; n < 1000; n++)
            __asm__ volatile("");
    board_print("tasks\n");
    board_halt();
}

int main(void)
{
    struct board_frame *first = board_task(stacks[0] + STACK, first_task);
    waiting = board_task(stacks[1] + STACK, second_task);
    set_timer();
    board_go_on(first);
}
