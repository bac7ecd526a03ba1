/* Recursion deeper than any register-window file, direct and mutual. */
#include <stdio.h>

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(int n);
static int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}
static int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

static long hanoi(int discs, int from, int to, int *moves)
{
    if (!discs)
        return 0;
    int other = 6 - from - to;
    long before = hanoi(discs - 1, from, other, moves);
    moves[discs] += from * 10 + to;
    return before + 1 + hanoi(discs - 1, other, to, moves);
}

int main(void)
{
    int moves[9] = {0};
    long count = hanoi(8, 1, 3, moves);
    printf("%d %d %ld %d\n", ackermann(2, 6), is_even(61), count, moves[1] + moves[4]);
    return 0;
}
