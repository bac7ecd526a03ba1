/* Loops, calls, tail calls, jump tables and recursion, for the counter and the windows. */
#include <stdio.h>

static int table[64];

__attribute__((noinline)) int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) int choose(int n)
{
    switch (n & 7) {
    case 0: return n + 3;
    case 1: return n * 5;
    case 2: return n ^ 0x55;
    case 3: return n - 9;
    case 4: return n << 2;
    case 5: return ~n;
    default: return fibonacci(n & 3);
    }
}

__attribute__((noinline)) int through(int (*call)(int), int n)
{
    return call(n + 1);
}

int main(void)
{
    int sum = 0, left = 40;
    for (int i = 0; i < 64; i++)
        table[i] = fibonacci(i % 9);
    do {
        sum += through(choose, left) + table[left];
    } while (--left);
    printf("%d\n", sum);
    return 0;
}
