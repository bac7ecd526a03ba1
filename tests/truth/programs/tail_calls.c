/* Calls in tail position become jumps, with the frame taken down before them. */
#include <stdio.h>

static int table[64];

static __attribute__((noinline)) int finish(int i, int sum, int rounds)
{
    return sum + table[i & 63] + rounds;
}
static __attribute__((noinline)) int step(int i, int sum, int rounds);
static __attribute__((noinline)) int bounce(int i, int sum, int rounds)
{
    table[i & 63] += sum & 15;
    return step(i * 5 + 1, sum + table[(i + 3) & 63], rounds - 1);
}
static __attribute__((noinline)) int step(int i, int sum, int rounds)
{
    if (rounds <= 0)
        return finish(i, sum, rounds);
    return bounce(i & 1023, sum ^ i, rounds);
}
static __attribute__((noinline)) int indirect(int (*next)(int, int, int), int i)
{
    table[0]++;
    return next(i, table[0], 40);
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        table[i] = i * 3;
    int first = step(1, 2, 60);
    int second = indirect(step, 9);
    printf("%d %d %d\n", first, second, indirect(finish, 5));
    return 0;
}
