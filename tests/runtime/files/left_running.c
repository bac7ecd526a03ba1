/* Becomes another program while a thread runs, after that has stored some thousand times. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static volatile int number, table[64];

static void *run(void *unused)
{
    for (;; number++)
        table[number % 64] = number;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    while (number < 20000)
        sched_yield();
    execl("/bin/true", "true", (char *)0);
    return 1;
}
