/* Records by two hooks between which no value is taken: an atomic load, and one that reserves. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int total, last;
static volatile int cells[2], seen;

static void handle(int number)
{
    (void)number;
    seen = cells[0] + cells[1];
}

__attribute__((noipa)) static int touch(int number)
{
    int first = atomic_load(&last);
    cells[1] = number;
    return first + atomic_fetch_add(&total, number);
}

int main(void)
{
    cells[0] = 900;
    cells[1] = 7;
    signal(SIGALRM, handle);
    int found = touch(50);
    printf("%d %d %d\n", found, seen, total);
    return 0;
}
