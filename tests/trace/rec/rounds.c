/* Signals in loops that load nothing: handlers read how far these have come. */
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { TIMES = 12 };
static volatile unsigned hits, cell, inner, outer;
static volatile double number;
static unsigned seen[4];
static sigjmp_buf before;

static void look(int signal)
{
    (void)signal;
    seen[0] += cell, seen[1] += inner, seen[2] += outer, seen[3] += (unsigned)number;
    hits++;
}

static void leave(int signal)
{
    look(signal);
    siglongjmp(before, 1);
}

/* Return what takes longer to compute than to store: there are fewer rounds. */
static inline unsigned slowly(unsigned n, unsigned by)
{
    return n / by + n / (by + 1) + n / (by + 2) + n / (by + 3) + n / (by + 4) + n / (by + 5);
}

static void __attribute__((noinline)) count(unsigned rounds, unsigned by)
{
    for (unsigned n = 0; n < rounds; n++)
        cell = slowly(n, by);
}

static void __attribute__((noinline)) nest(unsigned rounds, unsigned by)
{
    for (unsigned j = 0; j < rounds; j++) {
        outer = j;
        for (unsigned i = 0; i < 10; i++)
            inner = slowly(i, by);
    }
}

static void __attribute__((noinline)) add(double end, double step)
{
    for (double sum = 0; sum < end; sum += step)
        number = sum / step / step / step / step;
}

/* One loop counts, the other one changes nothing. */
static void __attribute__((noinline)) spin(unsigned by)
{
    for (unsigned n = 0; by; n++)
        cell = slowly(n, by);
    for (;;)
        ;
}

static void once(void (*handler)(int), int information, long microseconds)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = information ? SA_SIGINFO : 0 };
    struct itimerval time = { { 0, 0 }, { 0, microseconds } };
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &time, 0);
}

int main(int by, char **words)
{
    (void)words;
    while (hits < TIMES) {
        unsigned now = hits;
        once(look, now & 1, 100 + 9 * now);
        while (hits == now)
            switch (now % 3) {
            case 0: count(1000, by); break;
            case 1: nest(100, by); break;
            default: add(1000, by);
            }
    }
#ifndef __sparc__   /* its emulator restores other registers */
    sigsetjmp(before, 1);
    if (hits < TIMES + 4) {
        once(leave, hits & 1, 200);
        spin(hits & 1 ? by : 0);
    }
#endif
    once(SIG_DFL, 0, 200);
    spin(by);
}
