/* Two threads count without a lock: one is done long before the other, so the sum is right, but
   nothing orders them, and the trace shows the race. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

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
    usleep(200000);
    pthread_create(&second, NULL, visit, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d hits\n", hits);
    return 0;
}
