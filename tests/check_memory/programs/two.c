/* Two threads that count under a lock; with RACY without. Annotated: what libraries do is not seen. */
#include <pthread.h>
#include <inst/annotate.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;
static int started, token, finished;
static void *work(void *unused)
{
    (void)unused;
    INST_HAPPENS_AFTER(&token);
    for (int n = 0; n < ROUNDS; n++) {
#ifndef RACY
        pthread_mutex_lock(&mutex);
        INST_LOCK(&mutex);
#endif
        counter++;
#ifndef RACY
        INST_UNLOCK(&mutex);
        pthread_mutex_unlock(&mutex);
#endif
    }
    INST_HAPPENS_BEFORE(&finished);
    return 0;
}
int main(void)
{
    pthread_t threads[2];
    started = 1;
    INST_HAPPENS_BEFORE(&token);
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], 0, work, 0);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], 0);
    INST_HAPPENS_AFTER(&finished);
    return counter != 2 * ROUNDS && !started;
}
