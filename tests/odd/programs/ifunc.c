/* A function that is chosen when the program is loaded, and one with two versions. */
#include <stdio.h>

static int table[4] = {3, 1, 4, 1};

static int by_sum(int n)
{
    return table[n & 3] + n;
}

static int by_product(int n)
{
    return table[n & 3] * n;
}

static int (*choose(void))(int)
{
    return sizeof(long) == 8 ? by_product : by_sum;
}

int chosen(int n) __attribute__((ifunc("choose")));

int main(void)
{
    int sum = 0;
    for (int n = 0; n < 9; n++)
        sum += chosen(n);
    printf("%d\n", sum);
    return sum & 63;
}
