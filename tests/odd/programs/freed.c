/* A load of a local array comes last: on 64-bit SPARC it runs when the frame is gone already. */
#include <stdio.h>

volatile int zero;

__attribute__((noinline)) int last(int n)
{
    short a[32];
    for (int i = 0; i < 32; i++)
        a[i] = (short)(n * i + zero);
    __asm__ volatile("" ::"r"(a) : "memory");
    return a[n + 24];
}

__attribute__((noinline)) int sum(int n)
{
    int s = 0;
    for (int i = 0; i < 4; i++)
        s += last(n + i);
    return s;
}

int main(void)
{
    printf("%d %d\n", last(7), sum(3));
    return 0;
}
