/* Hints all the time, and a clock whose handler is told in words too. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#if __has_include(<inst/annotate.h>)
#include <inst/annotate.h>
#else
#define INST_HINT(kind, location, value) ((void)0)
#endif

static volatile int ticks;

static void on_alarm(int number)
{
    (void)number;
    ticks++;
}

int main(void)
{
    struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    while (ticks < 300)
        INST_HINT("a word that takes a while to look up", &ticks, 1);
    setitimer(ITIMER_REAL, &never, NULL);
    puts("done");
    return 0;
}
