/* Atomics in two asm statements, with ordinary accesses where the reservation is open. A loop that
   never gets its store done ends with `lost`: something between the two undid the reservation.
   With SOMETIMES there are accesses that only some ways to the store make. */
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 50, MOST = 100000 };
static volatile int cell, other = 3, log[4];

static int load_reserved(volatile int *p)
{
    int value;
    __asm__ __volatile__("lwarx %0,0,%1" : "=r"(value) : "r"(p) : "memory");
    return value;
}

static int store_conditional(volatile int *p, int value)
{
    int conditions;
    __asm__ __volatile__("stwcx. %1,0,%2\n\tmfcr %0"
                         : "=r"(conditions) : "r"(value), "r"(p) : "memory", "cr0");
    return conditions & 0x20000000;
}

static int try_again(void)
{
    static int tries;
    if (++tries < MOST)
        return 1;
    printf("lost\n");
    exit(1);
}

static void add_other(void)
{
    while (!store_conditional(&cell, load_reserved(&cell) + other))
        try_again();
}

static int exchange_if(int wanted, int value)
{
    int found;
    do {
        found = load_reserved(&cell);
        log[0] = found;
        if (found != wanted + other)
            return 0;           /* the reservation is left */
        log[1]++;
    } while (!store_conditional(&cell, value) && try_again());
    return 1;
}

#ifdef SOMETIMES
static void add_sometimes(int n)
{
    int value;
    do {
        value = load_reserved(&cell);
        if (value & 1)
            value += log[n & 3];
    } while (!store_conditional(&cell, value + 1) && try_again());
}
#else
#define add_sometimes(n) (void)0
#endif

int hand_add(volatile int *p, volatile int *more);
int hand_left(volatile int *p, volatile int *copy);

int main(void)
{
    int done = 0;
    for (int n = 0; n < ROUNDS; n++) {
        add_other();
        done += exchange_if(cell - other, cell + 1);
        done += exchange_if(n, 0);
        done += hand_add(&cell, &other);
        done += hand_left(&cell, &log[2]);
        add_sometimes(n);
    }
    printf("%d %d %d %d %d\n", cell, done, log[0], log[1], log[2]);
    return 0;
}
