/* A ring that one thread fills and another empties, ordered by acquire and release alone: each spins
   on the other's index. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ITEMS = 120, SLOTS = 4 };

static unsigned ring[SLOTS], sum;
static _Atomic unsigned head, tail, go;

__attribute__((noinline)) void put(unsigned *slot, unsigned value)
{
    *slot = value;
}

static void *fill(void *unused)
{
    while (!atomic_load_explicit(&go, memory_order_acquire))
        ;
    for (unsigned n = 0; n < ITEMS; n++) {
        while (n - atomic_load_explicit(&tail, memory_order_acquire) == SLOTS)
            ;
        put(&ring[n % SLOTS], 3 * n);
        atomic_store_explicit(&head, n + 1, memory_order_release);
    }
    return unused;
}

static void *empty(void *unused)
{
    while (!atomic_load_explicit(&go, memory_order_acquire))
        ;
    for (unsigned n = 0; n < ITEMS; n++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == n)
            ;
        sum += ring[n % SLOTS];
        atomic_store_explicit(&tail, n + 1, memory_order_release);
    }
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, fill, 0);
    pthread_create(&other, 0, empty, 0);
    atomic_store_explicit(&go, 1, memory_order_release);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%u\n", sum);
    return 0;
}
