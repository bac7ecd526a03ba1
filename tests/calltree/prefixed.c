/* Functions whose only accesses are of two words where it is compiled for POWER10. */
#include <stdio.h>

long one = 3, other = 4, total;

__attribute__((noinline)) static long sum(void)
{
    return one + other;
}

__attribute__((noinline)) static void add(long number)
{
    total += number;
}

__attribute__((noinline)) static void both(void)
{
    add(sum());
    add(1);
}

int main(void)
{
    for (int n = 0; n < 3; n++)
        both();
    printf("%ld\n", total);
    return 0;
}
