/* What an access costs on a board whose emulator counts instructions as time: prints the time of a loop
   of ROUNDS instructions or a multiple, and that of 5 accesses in each of ROUNDS steps. */
#include "board.h"

enum { ROUNDS = 20000 };

int words[64], others[64];
unsigned char bytes[64];
volatile unsigned kept;

#ifdef __sparc__
static volatile unsigned *const timer = (volatile unsigned *)0x80000300;
static void start(void)
{
    timer[5] = -1;
    timer[6] = 5;
}
static unsigned now(void)
{
    return -timer[4];
}
#define COUNT_DOWN(N) \
    __asm__ volatile("1:\tsubcc %0, 1, %0\n\tbne 1b\n\t nop" : "+r"(N) : : "cc")
#else
static void start(void)
{
}
static unsigned now(void)
{
    unsigned time;
    __asm__ volatile("mfspr %0, 268" : "=r"(time));
    return time;
}
#define COUNT_DOWN(N) __asm__ volatile("mtctr %0\n1:\tbdnz 1b" : : "r"(N) : "ctr")
#endif

static __attribute__((noinline)) unsigned work(void)
{
    unsigned sum = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        words[n % 64] += others[n * 7 % 64];
        bytes[n % 64] = n;
        sum += bytes[n * 3 % 64];
    }
    return sum;
}

int main(void)
{
    unsigned count = ROUNDS, first, second, third;
    start();
    first = now();
    COUNT_DOWN(count);
    second = now();
    kept = work();
    third = now();
    board_print_number(second - first);
    board_print("\n");
    board_print_number(third - second);
    board_print("\n");
    board_halt();
}
