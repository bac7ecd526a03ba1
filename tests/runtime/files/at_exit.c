/* Threads that take turns by a mutex, and still do when main returns.  With an argument, main waits until
   its standard input ends; with two, it waits a hundred times as long. */
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 12 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, running;

static int count_running(int more)
{
    pthread_mutex_lock(&lock);
    int count = running += more;
    pthread_mutex_unlock(&lock);
    return count;
}

static void *take_turns(void *unused)
{
    count_running(1);
    for (;;) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t threads[THREADS];
    char byte;
    for (int n = 0; n < THREADS; n++)
        pthread_create(&threads[n], 0, take_turns, 0);
    if (argc == 2)
        return (int)read(0, &byte, 1);
    do
        usleep(argc > 2 ? 100000 : 1000);
    while (count_running(0) < THREADS);
    return 0;
}
