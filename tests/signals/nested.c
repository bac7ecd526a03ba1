/* Signals that each interrupt the handler of the one before, at an access in the middle of a block: its
   memory is open when all later handlers have returned. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 1000 };
static int before[MOST + 1], after[MOST + 1], deepest;
static volatile int depth;
static char *closed;
static long size;

static __attribute__((noinline)) void step(volatile int *from, volatile int *at, volatile int *to)
{
    int n = *from;
    *at = n + 1;
    *to = 3 * n;
}

static void handle(int number)
{
    int n = depth++;
    (void)number;
    if (n < deepest)
        step(&before[n], (int *)(closed + n * size), &after[n]);
    mprotect(closed + (n - 1) * size, size, PROT_READ | PROT_WRITE);
}

int main(int count, char **arguments)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    deepest = count > 1 ? atoi(arguments[1]) : 40;
    action.sa_handler = handle;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, 0);
    size = sysconf(_SC_PAGESIZE);
    closed = mmap(0, deepest * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int n = 0; n < deepest; n++)
        before[n] = n + 1000;
    depth = 1;
    step(&before[0], (int *)closed, &after[0]);
    int sum = 0;
    for (int n = 0; n < deepest; n++)
        sum += after[n] + *(int *)(closed + n * size);
    printf("%d handlers, %d\n", depth, sum);
    return 0;
}
