/* Atomic operations of a program and of a handler that a timer calls: every signal comes near one. */
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
static atomic_int total, last;
static atomic_uchar small;
static volatile int hits;
static void handler(int number)
{
    int expected = last;
    atomic_fetch_add(&total, 3);
    atomic_compare_exchange_strong(&last, &expected, hits);
    if (++hits == 60)
        setitimer(ITIMER_REAL, &(struct itimerval){{0}}, 0);
}
int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    struct itimerval every = {{0, 500}, {0, 500}};
    int won = 0, lost = 0;
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &every, 0);
    while (hits < 60) {
        int expected = hits & 1 ? -1 : last;
        atomic_fetch_add(&total, 1);
        atomic_exchange(&small, hits);
        if (atomic_compare_exchange_weak(&last, &expected, hits))
            won++;
        else
            lost++;
    }
    return total != won + lost + 3 * hits;
}
