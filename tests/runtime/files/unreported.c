/* ROUNDS accesses where a reservation is open, then the end that the first argument names. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int cell, other = 1;

static void add(int rounds)
{
    while (rounds-- > 0) {
        int value, conditions, addend;
        do {
            __asm__ __volatile__("lwarx %0,0,%1" : "=r"(value) : "r"(&cell) : "memory");
            addend = other;
            __asm__ __volatile__("stwcx. %1,0,%2\n\tmfcr %0" : "=r"(conditions)
                                 : "r"(value + addend), "r"(&cell) : "memory", "cr0");
        } while (!(conditions & 0x20000000));
    }
}

/* A store that fails has a further access: each thread adds to what no other thread has. */
static void *thread(void *rounds)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int n = 0; n < *(int *)rounds; n += 10) {
        pthread_mutex_lock(&mutex);
        add(10);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(int count, char **arguments)
{
    const char *way = arguments[1];
    pthread_t threads[4];
    int rounds = 100;
    (void)count;
    if (!strcmp(way, "threads")) {
        for (int n = 0; n < 4; n++)
            pthread_create(&threads[n], 0, thread, &rounds);
        for (int n = 0; n < 4; n++)
            pthread_join(threads[n], 0);
        return cell != 400;
    }
    if (!strcmp(way, "none"))
        return 0;
    add(5);
    if (!strcmp(way, "_exit"))
        _exit(0);
    if (!strcmp(way, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(way, "exec"))
        execl("/proc/self/exe", "program", "return", (char *)0);
    if (!strcmp(way, "fork")) {
        if (!fork()) {
            add(3);
            return 0;
        }
        wait(0);
        add(2);
    }
    return 0;
}
