/* Two threads count without a lock: the sum is right nearly always, and the trace shows the race. */
#include <pthread.h>
#include <stdio.h>

static int hits;

static void *visit(void *unused)
{
    hits++;
    return unused;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, visit, NULL);
    pthread_create(&second, NULL, visit, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d hits\n", hits);
    return 0;
}
