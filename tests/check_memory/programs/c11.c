/* Small C11 programs with two threads each, one behind the other: with no argument all the correct
   ones, with one all that are wrong.  What is wrong stands on lines with a comment that names it.  */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define APART __attribute__((aligned(64)))

static int data APART, more APART;
static atomic_int flag APART, other_flag APART;
static int *_Atomic pointer APART;
static _Atomic unsigned long long wide APART, total APART;
static _Atomic signed char lock APART;
static atomic_flag spin APART = ATOMIC_FLAG_INIT;
static int counted APART;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static int ends[2];

struct object {
    int first APART, second APART;
    atomic_int count APART;
};
static struct object *object;

static void expect(int truth)
{
    if (!truth)
        abort();
}

static int wait_for(atomic_int *what, memory_order order)
{
    int got;
    while (!(got = atomic_load_explicit(what, order)))
        sched_yield();
    return got;
}

/* ---- correct ---- */

static void released(void)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
}

static void acquires(void)
{
    wait_for(&flag, memory_order_acquire);
    expect(!(data != 42));
}

static void in_sequence(void)
{
    data = 43;
    flag = 2;
}

static void waits_in_sequence(void)
{
    while (flag != 2)
        sched_yield();
    expect(!(data != 43));
}

static void before_fence(void)
{
    data = 44;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&other_flag, 1, memory_order_relaxed);
}

static void behind_fence(void)
{
    while (!atomic_load_explicit(&other_flag, memory_order_relaxed))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    expect(!(data != 44));
}

static void points(void)
{
    int *block = malloc(sizeof *block);
    *block = 45;
    atomic_store_explicit(&pointer, block, memory_order_release);
}

static void follows(void)
{
    int *block;
    while (!(block = atomic_load_explicit(&pointer, memory_order_acquire)))
        sched_yield();
    expect(!(*block != 45));
    free(block);
}

static void spins(void)
{
    for (int n = 0; n < 50; n++) {
        while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire))
            sched_yield();
        counted++;
        atomic_flag_clear_explicit(&spin, memory_order_release);
    }
}

static void sends_pointer(void)
{
    int *block = malloc(sizeof *block);
    *block = 46;
    expect(!(write(ends[1], &block, sizeof block) != sizeof block));
}

static void gets_pointer(void)
{
    int *block = 0;
    expect(!(read(ends[0], &block, sizeof block) != sizeof block || *block != 46));
    free(block);
}

static void sends_number(void)
{
    uint64_t one = 1;
    data = 47;
    expect(!(write(ends[1], &one, sizeof one) != sizeof one));
}

static void gets_number(void)
{
    uint64_t got = 0;
    expect(!(read(ends[0], &got, sizeof got) != sizeof got || data != 47));
}

static void under_write_lock(void)
{
    pthread_rwlock_wrlock(&readers);
    data++;
    pthread_rwlock_unlock(&readers);
}

static void under_read_lock(void)
{
    pthread_rwlock_rdlock(&readers);
    expect(!(data == 0));
    pthread_rwlock_unlock(&readers);
}

/* 32-bit targets have functions of libatomic for some of these: SPARC V8 for all. */
static void releases_wide(void)
{
    data = 49;
    atomic_store_explicit(&wide, 1ull << 40, memory_order_release);
}

static void acquires_wide(void)
{
    while (atomic_load_explicit(&wide, memory_order_acquire) != 1ull << 40)
        sched_yield();
    expect(data == 49);
}

static void fences_wide(void)
{
    data = 50;
    atomic_thread_fence(memory_order_release);
    atomic_fetch_add_explicit(&wide, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&total, 1, memory_order_relaxed);
}

static void behind_wide_fence(void)
{
    while (!(atomic_fetch_or_explicit(&wide, 0, memory_order_relaxed) & 1))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    expect(data == 50);
    atomic_fetch_add_explicit(&total, 1, memory_order_relaxed);
}

static void exchanges(void)
{
    for (int n = 0; n < 20; n++) {
        signed char free_one = 0;
        while (!atomic_compare_exchange_weak_explicit(&lock, &free_one, 1, memory_order_acquire,
                                                      memory_order_relaxed))
            free_one = 0, sched_yield();
        counted++;
        atomic_exchange_explicit(&lock, 0, memory_order_release);
    }
}

static void drops(int *part)
{
    *part = 1;
    if (atomic_fetch_sub_explicit(&object->count, 1, memory_order_acq_rel) == 1)
        free(object);
}

static void drops_with_fence(int *part)
{
    *part = 1;
    if (atomic_fetch_sub_explicit(&object->count, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        free(object);
    }
}

static void drops_relaxed(int *part)
{
    *part = 1;                                                          /* relaxed count */
    if (atomic_fetch_sub_explicit(&object->count, 1, memory_order_relaxed) == 1)
        free(object);                                                   /* relaxed count */
}

static void first_drops(void) { drops(&object->first); }
static void second_drops(void) { drops(&object->second); }
static void first_fences(void) { drops_with_fence(&object->first); }
static void second_fences(void) { drops_with_fence(&object->second); }
static void first_relaxed(void) { drops_relaxed(&object->first); }
static void second_relaxed(void) { drops_relaxed(&object->second); }

/* ---- wrong ---- */

static void stores_relaxed(void)
{
    data = 48;                                                          /* relaxed flag */
    atomic_store_explicit(&flag, 3, memory_order_release);
}

static void loads_relaxed(void)
{
    while (atomic_load_explicit(&flag, memory_order_relaxed) != 3)
        sched_yield();
    expect(!(data != 48));                                               /* relaxed flag */
}

static void releases_relaxed_wide(void)
{
    data = 51;                                                          /* relaxed wide flag */
    atomic_store_explicit(&wide, 1ull << 41, memory_order_release);
}

static void loads_relaxed_wide(void)
{
    while (atomic_load_explicit(&wide, memory_order_relaxed) != 1ull << 41)
        sched_yield();
    expect(data == 51);                                                 /* relaxed wide flag */
}

static void writes_as_reader(void)
{
    pthread_rwlock_rdlock(&readers);
    more++;                                                             /* reader writes */
    pthread_rwlock_unlock(&readers);
}

static void reads_as_reader(void)
{
    pthread_rwlock_rdlock(&readers);
    expect(!(more < 0));                                                 /* reader writes */
    pthread_rwlock_unlock(&readers);
}

static void gives_back(void)
{
    free(object);                                                       /* freed meanwhile */
}

static void reads_meanwhile(void)
{
    volatile int *part = &object->first;
    (void)*part;                                                        /* freed meanwhile */
}

static void writes_behind(void)
{
    volatile int *block = malloc(4096 * sizeof *block);
    free((void *)block);
    block[9] = 1;                                                       /* write after free */
}

static void reads_behind(void)
{
    volatile int *block = malloc(24 * sizeof *block);
    block[3] = 1;
    free((void *)block);
    (void)block[3];                                                     /* read after free */
}

static void nothing(void)
{
}

/* ---- */

static void *run(void *function)
{
    (*(void (**)(void))function)();
    return 0;
}

static void both(void (*one)(void), void (*other)(void))
{
    pthread_t threads[2];
    void (*functions[2])(void) = { one, other };
    for (int n = 0; n < 2; n++)
        expect(!(pthread_create(&threads[n], 0, run, &functions[n])));
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], 0);
}

static void new_object(void)
{
    object = malloc(sizeof *object);
    object->first = object->second = 0;
    atomic_init(&object->count, 2);
}

static void all_correct(void)
{
    both(released, acquires);
    both(in_sequence, waits_in_sequence);
    both(before_fence, behind_fence);
    both(points, follows);
    both(spins, spins);
    expect(!(counted != 100 || pipe(ends)));
    both(gets_pointer, sends_pointer);
    expect(!(socketpair(AF_UNIX, SOCK_STREAM, 0, ends)));
    both(gets_pointer, sends_pointer);
    ends[0] = ends[1] = eventfd(0, 0);
    both(gets_number, sends_number);
    both(under_write_lock, under_read_lock);
    new_object();
    both(first_drops, second_drops);
    new_object();
    both(first_fences, second_fences);
    both(releases_wide, acquires_wide);
    both(fences_wide, behind_wide_fence);
    expect(total == 2);
    both(exchanges, exchanges);
    expect(counted == 140);
}

static void all_wrong(void)
{
    both(stores_relaxed, loads_relaxed);
    both(writes_as_reader, reads_as_reader);
    new_object();
    both(gives_back, reads_meanwhile);
    both(writes_behind, nothing);
    new_object();
    both(first_relaxed, second_relaxed);
    both(releases_relaxed_wide, loads_relaxed_wide);
    reads_behind();
}

int main(int count, char **words)
{
    (void)words;
    (count > 1 ? all_wrong : all_correct)();
    return 0;
}
