/* | gcc -O2 | fixed record loads no-counter parts */
#include <stdio.h>

/* Divisions by 0 whose results are not used, as code without a branch makes them. */
int seen[4];

__attribute__((noinline)) int divided(int number, int by)
{
    int result;
    __asm__("divw %0,%1,%2" : "=r"(result) : "r"(number), "r"(by));
    seen[1]++;
    return by ? result : seen[2];
}

__attribute__((noinline)) int clocked(void)
{
    unsigned long now;
    __asm__ volatile("mftb %0" : "=r"(now));
    seen[now & 1]++;
    return seen[now & 1] > 0;
}

int main(void)
{
    int sum = 0;
    for (int n = 0; n < 9; n++)
        sum += divided(-100 * n, n % 3) + clocked();
    sum += divided(-2147483647 - 1, seen[3] - 1) & seen[3];
    printf("%d\n", sum);
    return 0;
}
