/* setjmp and longjmp: out of depth, several times, with volatile locals. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf outer, inner;
static int trail[16], steps;

static void dive(int depth, int code)
{
    int local[4] = {depth, code, depth * code, 0};
    trail[steps++ & 15] = local[2];
    if (depth == 0)
        longjmp(code & 1 ? outer : inner, code + 1);
    dive(depth - 1, code);
    trail[0] += local[0];
}

static int attempt(int code)
{
    volatile int tries = 0;
    int got = setjmp(inner);
    tries++;
    if (tries < 4)
        dive(5 + tries * 3, code + (got ? 2 : 0));
    return got + tries * 100;
}

int main(void)
{
    volatile int round = 0;
    volatile long sum = 0;
    int got = setjmp(outer);
    sum += got * 1000;
    round++;
    if (round < 5)
        sum += attempt(round);
    for (int i = 0; i < 16; i++)
        sum = sum * 3 + trail[i];
    printf("%ld %d %d\n", sum & 0xfffff, round, steps);
    return 0;
}
