/* Threads of which one does so much that a ring forgets how it orders what two others do. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int shared, seen, turn;
static volatile int room[4096];
static pthread_barrier_t barrier;
static void work(int rounds)
{
    for (int n = 0; n < rounds; n++)
        for (int m = 0; m < 4096; m++)
            room[m] += n;
}
static void *begin(void *given)      /* writes, and waits for the end */
{
    (void)given;
    pthread_mutex_lock(&first);
    shared = 1;
    pthread_mutex_unlock(&first);
    pthread_barrier_wait(&barrier);
    return 0;
}
static void *relay(void *given)
{
    for (;;) {
        pthread_mutex_lock(&first);
        int is_set = shared;
        pthread_mutex_unlock(&first);
        if (is_set)
            break;
    }
    pthread_mutex_lock(&second);
    seen = 1;
    pthread_mutex_unlock(&second);
    work(atoi(given));
    pthread_mutex_lock(&second);
    work(atoi(given));
    pthread_mutex_unlock(&second);
    pthread_barrier_wait(&barrier);
    return 0;
}
static void *finish(void *given)
{
    (void)given;
    for (;;) {
        pthread_mutex_lock(&second);
        int is_set = seen;
        pthread_mutex_unlock(&second);
        if (is_set)
            break;
    }
    shared++;
    pthread_barrier_wait(&barrier);
    return 0;
}
int main(int count, char **arguments)
{
    pthread_t threads[3];
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&threads[0], 0, begin, 0);
    pthread_create(&threads[1], 0, relay, count > 1 ? arguments[1] : "40");
    pthread_create(&threads[2], 0, finish, 0);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], 0);
    return shared != 2;
}
