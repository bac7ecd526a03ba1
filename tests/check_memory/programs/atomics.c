/* Two threads that order themselves by atomic instructions alone: a lock of one's own, and with
   RACY a counter that nothing orders. */
#include <inst/annotate.h>
#include <pthread.h>

static volatile unsigned char held;
static volatile int counter;
static int start, finish;

static void *work(void *unused)
{
    (void)unused;
    INST_HAPPENS_AFTER(&start);
    for (int n = 0; n < 500; n++) {
#ifndef RACY
        while (__atomic_test_and_set(&held, __ATOMIC_ACQUIRE))
            ;
#endif
        counter = counter + 1;
#ifndef RACY
        __atomic_clear(&held, __ATOMIC_RELEASE);
#endif
    }
    INST_HAPPENS_BEFORE(&finish);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    INST_HAPPENS_BEFORE(&start);
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], 0, work, 0);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], 0);
    INST_HAPPENS_AFTER(&finish);
    return 0;
}
