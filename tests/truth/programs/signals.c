/* Signal handlers that touch memory, raised synchronously. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t hits;
static volatile int last[8];

static void handler(int number)
{
    last[hits & 7] = number;
    hits++;
}

int main(void)
{
    struct sigaction action;
    int sum = 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGUSR2, handler);
    for (int i = 0; i < 6; i++) {
        raise(i & 1 ? SIGUSR1 : SIGUSR2);
        sum = sum * 3 + (last[i] == (i & 1 ? SIGUSR1 : SIGUSR2));
    }
    printf("%d %d\n", (int)hits, sum);
    return 3;
}
