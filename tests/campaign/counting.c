/* Two threads and a timer's handler, each of which counts in a word of a shared file until the
   process is killed: the file then states how far each has come, whatever the trace holds.
   Words of 32 bits: process id, the address of the mapping (high, low), 1 when all have begun. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST = 16, APART = 16, SIZE = 4096 };

static volatile uint32_t *shared;

static void *count(void *number)
{
    volatile uint32_t *mine = shared + FIRST + APART * (uintptr_t)number;
    for (;;)
        *mine += 1;
    return 0;
}

static void tick(int number)
{
    (void)number;
    shared[FIRST + APART * 2] += 1;
}

int main(int count_of_words, char **words)
{
    pthread_t other;
    sigset_t timer;
    struct itimerval often = { { 0, 500 }, { 0, 500 } };
    struct sigaction action;
    int file = open(words[count_of_words - 1], O_RDWR);
    shared = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED)
        return 1;
    shared[1] = (uint64_t)(uintptr_t)shared >> 32;
    shared[2] = (uintptr_t)shared;
    shared[0] = getpid();
    sigemptyset(&timer);
    sigaddset(&timer, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &timer, 0);
    if (pthread_create(&other, 0, count, (void *)1))
        return 1;
    pthread_sigmask(SIG_UNBLOCK, &timer, 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = tick;
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &often, 0);
    shared[3] = 1;
    count(0);
    return 0;
}
