/* | gcc -O0 -mlongcall | fixed record loads no-counter parts events
   ppc64: | gcc -Os -fno-plt | static record loads no-counter parts events
   ppc64le: | gcc -O1 | pie record loads no-counter parts events
   sparc-v8: | gcc -O2 | fixed record loads no-counter parts events
   sparc-v9: | gcc -Os | fixed record loads no-counter parts events */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* A handler runs on a stack above the one that its signal interrupts, which a jump leaves then. */
static volatile unsigned ticks, cells[4];
static jmp_buf back;

static void tick(int number) { ticks += number == SIGUSR1 ? 1 : 2; }

static int compare(const void *a, const void *b)
{
    if (cells[1]++ % 3 == 0)
        raise(SIGUSR2);
    return *(const int *)a - *(const int *)b;
}

static unsigned __attribute__((noinline)) jumps(unsigned number)
{
    int order[] = { 3, 1, 2, (int)number };
    raise(SIGUSR1);
    qsort(order, 4, sizeof *order, compare);
    cells[2] += order[1];
    if (number % 2)
        longjmp(back, number);
    return number + cells[0];
}

static unsigned __attribute__((noinline)) round_of(unsigned number)
{
    volatile unsigned kept = number * 3;
    if (setjmp(back) == 0)
        kept += jumps(number);
    else
        kept ^= 5;
    raise(SIGUSR2);
    return kept + cells[3]++;
}

int main(void)
{
    char other[65536];
    stack_t stack = { .ss_sp = other, .ss_size = sizeof other };
    struct sigaction action = { .sa_handler = tick, .sa_flags = SA_ONSTACK };
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    for (unsigned n = 0; n < 6; n++)
        cells[0] += round_of(n);
    printf("%u %u %u\n", cells[0], cells[2], ticks);
    return 0;
}
