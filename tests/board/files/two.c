/* Two processors that take turns with a lock, and are never many turns apart.  With -DBUG_NO_LOCK every
   other turn of the second goes without, and the last: both begin that one only when the other does, so
   that nothing orders the two however the host runs them. */
#include <inst/annotate.h>
#include "board.h"

enum { TURNS = 400, SHARED = 8, AHEAD = 8 };
enum { TABLE = 0xef000020 };    /* the second processor's entry: where to start, 64 bits */

void two_map(void);
void two_start(void);
void two_main(void);

static unsigned lock, begun[2], flags[2];
static unsigned shared[SHARED], sums[2], finished[2];

/* Without an access. */
static void delay(unsigned rounds)
{
    for (unsigned n = 0; n < rounds; n++)
        __asm__ volatile("");
}

static void acquire(void)
{
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        delay(200000);
}

static void release(void)
{
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static int is_locked(unsigned cpu, unsigned turn)
{
#ifdef BUG_NO_LOCK
    return !(cpu == 1 && turn % 2);
#else
    (void)cpu, (void)turn;
    return 1;
#endif
}

static unsigned ahead(unsigned turn)
{
    return turn == TURNS - 1 ? 0 : AHEAD;
}

static void work(unsigned cpu)
{
    for (unsigned n = 0; n < TURNS; n++) {
        __atomic_store_n(&begun[cpu], n + 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&begun[1 - cpu], __ATOMIC_ACQUIRE) + ahead(n) < n + 1)
            delay(1000000);
        if (is_locked(cpu, n))
            acquire();
        for (unsigned at = 0; at < SHARED; at++)
            sums[cpu] += shared[at]++;
        if (is_locked(cpu, n))
            release();
        delay(((n * 7 + cpu * 3) % 16 + 8) * 500);
    }
    __atomic_store_n(&flags[cpu], 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&flags[1 - cpu], __ATOMIC_ACQUIRE))
        delay(1000000);
    __atomic_store_n(&finished[cpu], shared[SHARED - 1], __ATOMIC_RELEASE);
}

void two_main(void)
{
    work(1);
    for (;;)
        __asm__ volatile("");
}

int main(void)
{
    volatile unsigned *entry = (volatile unsigned *)TABLE;
    two_map();
    entry[0] = 0;
    entry[1] = (unsigned)two_start;
    work(0);
    while (!__atomic_load_n(&finished[1], __ATOMIC_ACQUIRE))
        delay(1000000);
    board_print(finished[0] == 2 * TURNS && finished[1] == 2 * TURNS ? "right\n" : "wrong\n");
    board_halt();
}
