/* atexit handlers and constructors that access memory, and exit from depth. */
#include <stdio.h>
#include <stdlib.h>

static int order[8], count;

static __attribute__((constructor)) void early(void) { order[count++] = 1; }
static __attribute__((destructor)) void late(void)
{
    order[count++] = 4;
    for (int i = 0; i < count; i++)
        printf("%d ", order[i]);
    printf("\n");
    fflush(stdout);
}
static void at_exit(void) { order[count++] = 3; }

static void deep(int n)
{
    if (n == 0)
        exit(7);
    order[7] += n;
    deep(n - 1);
    order[6]++;
}

int main(void)
{
    atexit(at_exit);
    order[count++] = 2;
    deep(20);
    return 0;
}
