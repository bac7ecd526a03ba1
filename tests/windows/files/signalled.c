/* Seven signals, and calls enough for windows to end. */
#include <signal.h>
#include <stdio.h>

static volatile int seen;

static void handler(int signal)
{
    seen += signal == SIGUSR1;
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
    signal(SIGUSR1, handler);
    for (int i = 0; i < 7; i++)
        raise(SIGUSR1);
    printf("%d %d\n", seen, fibonacci(20));
    return 0;
}
