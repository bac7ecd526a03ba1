/* Records blocks of a frame and of accesses in one function, whose caller a handler may go to. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf place;
static int leaves;
static volatile int seen, cells[3] = { 0, 9000, 0 };

static void come(int signal)
{
    (void)signal;
    seen = 77;
    if (leaves)
        siglongjmp(place, 1);
}

__attribute__((noipa)) static int touch(volatile int *cell, int number)
{
    volatile int room[4];
    room[0] = number;
    cell[0] = number + 1;
    if (cell[1] > number)
        cell[2] = number + 2;
    return room[0];
}

int main(void)
{
    leaves = getenv("LEAVES") != 0;
    signal(SIGALRM, come);
    if (!sigsetjmp(place, 1))
        touch(cells, 4000);
    touch(cells, 5000);
    puts("end");
    return 0;
}
