/* A kernel whose %g6 points at what belongs to its processor, as that of RTEMS does: also for the
   handler of interrupts, which may come between any two instructions of a probe. */
#include "board.h"

enum { TICKS = 100 };

struct processor {
    volatile unsigned ticks, wrong;
    unsigned random;
};

register struct processor *current __asm__("g6");
static struct processor own;
static char stack[4096] __attribute__((aligned(16)));
static unsigned long long pairs[8];
static unsigned char bytes[16];
static short halves[16];

struct board_frame *board_tick(struct board_frame *frame)
{
    if (current != &own)
        own.wrong++;
    current->ticks++;
    current->random = current->random >> 1 ^ (current->random & 1 ? 0xedb88320 : 0);
    if (current->ticks < TICKS)
        board_interrupt_after(256 + (current->random & 2047));
    return frame;
}

static unsigned exchanged(unsigned *at, unsigned value)
{
    __asm__ volatile("swap [%1], %0" : "+r"(value) : "r"(at) : "memory");
    return value;
}

/* A leaf, whose return address stays in %o7. */
static __attribute__((noinline)) unsigned sum(const unsigned char *from, const short *more)
{
    unsigned result = 0;
    for (int n = 0; n < 16; n++)
        result += from[n] + more[n];
    return result;
}

static void task(void)
{
    static unsigned word;
    unsigned found = 0, wanted = 0, before = 0;
    current = &own;
    current->random = 1;
    board_interrupt_after(1000);
    for (unsigned n = 0; current->ticks < TICKS; n++) {
        bytes[n % 16] = n;
        halves[n % 16] = -(n & 0xff);
        pairs[n % 8] += n + ((unsigned long long)n << 32);
        wanted += before;
        found += exchanged(&word, n);
        before = n;
        if (current != &own || (n >= 16 && sum(bytes, halves)))
            current->wrong++;
    }
    board_print(found == wanted && !own.wrong ? "right\n" : "wrong\n");
    board_halt();
}

int main(void)
{
    board_go_on(board_task(stack + sizeof stack, task));
}
