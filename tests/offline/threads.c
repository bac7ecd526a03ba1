/* Threads that each do something else, on memory of their own; and one after the other, too. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 200 };

static struct own {
    int sum, rounds;
    volatile int arrived;
} own[THREADS + 2];
static __thread struct own *mine;

static void arrive(int number)
{
    mine->arrived += number;
}

static void *work(void *argument)
{
    struct own *one = mine = argument;
    for (int n = 0; n < ROUNDS; n++) {
        one->sum += n * one->rounds;
        if (n % 64 == 5)
            raise(SIGUSR1);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS + 2];
    signal(SIGUSR1, arrive);
    for (int n = 0; n < THREADS + 2; n++)
        own[n].rounds = n + 1;
    for (int n = 0; n < THREADS; n++)
        if (pthread_create(&threads[n], 0, work, &own[n]))
            return 2;
    for (int n = 0; n < THREADS; n++)
        pthread_join(threads[n], 0);
    for (int n = THREADS; n < THREADS + 2; n++)
        if (pthread_create(&threads[n], 0, work, &own[n]) || pthread_join(threads[n], 0))
            return 2;
    int sum = 0;
    for (int n = 0; n < THREADS + 2; n++)
        sum += own[n].sum + own[n].arrived;
    return sum != 15 * (ROUNDS - 1) * ROUNDS / 2 + (THREADS + 2) * 4 * SIGUSR1;
}
