/* Counts calls and loops nearly all the time, while signals come whose handler counts as well. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile int received;
static volatile uint32_t sum;

static void handler(int number)
{
    received++;
    for (int n = 0; n < 10; n++)
        sum += number;
}

static __attribute__((noinline)) void add(uint32_t number)
{
    sum += number;
}

int main(int argc, char **argv)
{
    int raised = atoi(argv[1]), turns = atoi(argv[2]), clock = atoi(argv[3]);
    struct itimerval often = { { 0, clock }, { 0, clock } };
    signal(SIGUSR1, raised ? handler : SIG_IGN);
    for (int n = 0; n < 100; n++)
        raise(SIGUSR1);
    signal(SIGALRM, handler);
    received = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    for (int n = 0; n < turns; n++)
        add(n);
    memset(&often, 0, sizeof often);
    setitimer(ITIMER_REAL, &often, NULL);
    printf("%d\n", received);
    return 0;
}
