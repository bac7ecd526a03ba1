/* Two threads; handlers of the first come with nothing between them that is recorded. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { SIGNALS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static volatile sig_atomic_t handled;
static __thread int own;

static void handler(int number)
{
    (void)number;
    own++;
    handled++;
}

static void *work(void *unused)
{
    for (int n = 0; n < 1000; n++) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    signal(SIGUSR1, handler);
    pthread_create(&other, NULL, work, NULL);
    for (int n = 0; n < SIGNALS; n++)
        raise(SIGUSR1);
    work(NULL);
    pthread_join(other, NULL);
    printf("%d %d\n", (int)handled, shared);
    return handled != SIGNALS;
}
