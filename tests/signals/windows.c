/* Counts calls and loops nearly all the time, while signals come whose handler counts as well. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile int received;
static volatile uint32_t sum;
static struct itimerval soon;

/* Asks for the next signal itself: a timer that goes on may be faster than a slow machine. */
static void handler(int number)
{
    received++;
    for (int n = 0; n < 10; n++)
        sum += number;
    setitimer(ITIMER_REAL, &soon, NULL);
}

static __attribute__((noinline)) void add(uint32_t number)
{
    sum += number;
}

int main(int argc, char **argv)
{
    int raised = atoi(argv[1]), turns = atoi(argv[2]), clock = atoi(argv[3]);
    signal(SIGUSR1, raised ? handler : SIG_IGN);
    for (int n = 0; n < 100; n++)
        raise(SIGUSR1);
    signal(SIGALRM, handler);
    received = 0;
    soon.it_value.tv_usec = clock;
    setitimer(ITIMER_REAL, &soon, NULL);
    for (int n = 0; n < turns; n++)
        add(n);
    soon.it_value.tv_usec = 0;
    setitimer(ITIMER_REAL, &soon, NULL);
    printf("%d\n", received);
    return 0;
}
