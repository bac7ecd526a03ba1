/* Two threads that number their hints and make atomic accesses, and a clock whose handler numbers those
   that it makes in them.  Says how many hints each has made: its own, then its handler's. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#if __has_include(<inst/annotate.h>)
#include <inst/annotate.h>
#else
#define INST_HINT(kind, location, value) ((void)0)
#endif

/* Now and then the handler fills a chunk of the trace: the interrupted hint is written once more. */
enum { TICKS = 300, OFTEN = 3, FILLING = 2000, BETWEEN = 15 };

static volatile int ticks;
static int rounds;
static struct counts {
    unsigned own, of_handler;
} counts[2];
static __thread struct counts *mine;

static void on_alarm(int number)
{
    static struct itimerval never;
    (void)number;
    if (mine)
        for (int n = ticks % BETWEEN ? OFTEN : FILLING; n > 0; n--)
            INST_HINT("handler", &ticks, ++mine->of_handler);
    if (++ticks == TICKS)
        setitimer(ITIMER_REAL, &never, NULL);
}

static void *number(void *counts)
{
    mine = counts;
    while (ticks < TICKS) {
        INST_HINT("own", &ticks, ++mine->own);
        __atomic_fetch_add(&rounds, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(void)
{
    struct itimerval often = { { 0, 300 }, { 0, 300 } };
    pthread_t other;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_create(&other, NULL, number, &counts[1]);
    number(&counts[0]);
    pthread_join(other, NULL);
    for (int n = 0; n < 2; n++)
        printf("%u %u\n", counts[n].own, counts[n].of_handler);
    return 0;
}
