/* 200 threads that meet in mutexes, conditions and atomics, are cancelled, and end in every way. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

enum { THREADS = 200, ROUNDS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int turn, plain, destroyed;
static atomic_int together;
static __thread volatile uint32_t own[ROUNDS];

static void destroy(void *value)
{
    pthread_mutex_lock(&lock);
    destroyed += *(int *)value;
    pthread_mutex_unlock(&lock);
}

/* A thread is cancelled here only: cancelled while it waits for its turn it would end with the mutex,
   and in usleep the plain program aborts under QEMU 7.2, where nothing unwinds its frames. */
static void rest(void)
{
    usleep(10000);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

static void count(int number)
{
    own[1] += number;
}

static void *work(void *given)
{
    static int one = 1;
    int number = (int)(intptr_t)given;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_setspecific(key, &one);
    for (int n = 0; n < ROUNDS; n++)
        own[n] = number + n, atomic_fetch_add(&together, 1);
    pthread_mutex_lock(&lock);
    while (turn != number)
        pthread_cond_wait(&turned, &lock);
    turn++;
    plain += own[ROUNDS - 1];
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&lock);
    if (number % 4 == 1)
        pthread_exit((void *)1);
    if (number % 4 == 2)
        for (;;)
            rest();
    if (number % 4 == 3)
        return (void *)(intptr_t)(3 + raise(SIGUSR1));
    return NULL;
}

static int small(void *given)
{
    return *(int *)given + own[0] + 5;
}

int main(void)
{
    pthread_t threads[THREADS];
    long results[4] = { 0 };
    thrd_t last;
    int given = 2, result = 0, status = 0;
    signal(SIGUSR1, count);
    pthread_key_create(&key, destroy);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 131072);
    for (intptr_t n = 0; n < THREADS; n++)
        if (pthread_create(&threads[n], &attributes, work, (void *)n))
            return 9;
    for (int n = 0; n < THREADS; n++) {
        void *returned = NULL;
        if (n % 4 == 2)
            pthread_cancel(threads[n]);
        pthread_join(threads[n], &returned);
        results[n % 4] += (long)returned;
    }
    thrd_create(&last, small, &given);
    thrd_join(last, &result);
    pid_t child = vfork();
    if (!child) {
        if (turn == THREADS)
            _exit(6);
        _exit(7);
    }
    waitpid(child, &status, 0);
    printf("%ld %ld %ld %ld %d\n", results[0], results[1], results[2], results[3], result);
    printf("%d %d %d %d child %d\n", turn, plain, (int)together, destroyed, WEXITSTATUS(status));
    return 0;
}
