/* Each of the ways by which the C library orders threads, without a word of annotation; the way
   that the first argument numbers is left out.  */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#define IF(way, call) (left_out == (way) ? 0 : (call))
enum {
    MUTEX = 1, SPIN, READERS, CONDITION, SEMAPHORE, BARRIER, ONCE, C11, C11_CONDITION, TRIED,
    ROUNDS = 40
};

static int left_out;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive,
    waiting = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static mtx_t c11, c11_waiting;
static cnd_t c11_condition;

static volatile int by_mutex, by_spin, by_readers, ready, handed, by_barrier[2], by_once, by_c11,
    c11_ready, by_trying;

static void initialise(void) { by_once = 1; }

static void count(void)
{
    IF(MUTEX, pthread_mutex_lock(&mutex));
    by_mutex++;
    IF(MUTEX, pthread_mutex_unlock(&mutex));
    IF(SPIN, pthread_spin_lock(&spin));
    by_spin++;
    IF(SPIN, pthread_spin_unlock(&spin));
    IF(READERS, pthread_rwlock_wrlock(&readers));
    by_readers++;
    IF(READERS, pthread_rwlock_unlock(&readers));
    IF(READERS, pthread_rwlock_rdlock(&readers));
    int value = by_readers;
    IF(READERS, pthread_rwlock_unlock(&readers));
    IF(C11, mtx_lock(&c11));
    by_c11 += value > 0;
    IF(C11, mtx_unlock(&c11));
    if (IF(TRIED, pthread_mutex_trylock(&recursive)) == 0) {
        IF(TRIED, pthread_mutex_lock(&recursive));
        by_trying++;
        IF(TRIED, pthread_mutex_unlock(&recursive));
        IF(TRIED, pthread_mutex_unlock(&recursive));
    }
}

static void *work(void *number)
{
    int own = number != 0;
    for (int n = 0; n < ROUNDS; n++)
        count();
    IF(ONCE, pthread_once(&once, initialise));
    if (left_out == ONCE)
        initialise();
    int seen = by_once;
    by_barrier[own] = seen;
    IF(BARRIER, pthread_barrier_wait(&barrier));
    return (void *)(long)by_barrier[!own];
}

static void *give(void *unused)
{
    (void)unused;
    handed = 5;
    IF(SEMAPHORE, sem_post(&semaphore));
    IF(CONDITION, pthread_mutex_lock(&waiting));
    ready = 1;
    pthread_cond_signal(&condition);
    IF(CONDITION, pthread_mutex_unlock(&waiting));
    IF(C11_CONDITION, mtx_lock(&c11_waiting));
    c11_ready = 1;
    cnd_signal(&c11_condition);
    IF(C11_CONDITION, mtx_unlock(&c11_waiting));
    return 0;
}

static void take(void)
{
    IF(SEMAPHORE, sem_wait(&semaphore));
    while (!handed)
        sched_yield();
    pthread_mutex_lock(&waiting);
    while (!ready)  /* a signal without the mutex may come between this and the wait */
        left_out == CONDITION ? sched_yield() : pthread_cond_wait(&condition, &waiting);
    pthread_mutex_unlock(&waiting);
    mtx_lock(&c11_waiting);
    while (!c11_ready) {
        struct timespec end;
        timespec_get(&end, TIME_UTC);
        end.tv_nsec = end.tv_nsec / 2;
        cnd_timedwait(&c11_condition, &c11_waiting, &end);
    }
    mtx_unlock(&c11_waiting);
}

int main(int count, char **arguments)
{
    pthread_t threads[3];
    pthread_mutexattr_t kind;
    left_out = count > 1 ? atoi(arguments[1]) : 0;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    mtx_init(&c11, mtx_plain);
    mtx_init(&c11_waiting, mtx_timed);
    cnd_init(&c11_condition);
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, (void *)1);
    pthread_create(&threads[2], 0, give, 0);
    take();
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], 0);
    return !left_out && (by_mutex != 2 * ROUNDS || by_spin != 2 * ROUNDS || by_c11 != 2 * ROUNDS);
}
