/* | gcc -O2 -mlongcall | pie record loads no-counter parts */
#include <stdio.h>
#include <stdlib.h>

/* Inline PLT calls load the addresses of functions that other code has. */
int seen[4];

__attribute__((noinline)) int add(int number)
{
    seen[number & 3] += number;
    return seen[number & 3];
}

int main(void)
{
    int sum = 0;
    for (int n = 0; n < 9; n++)
        sum += add(n) ^ add(n + 1);
    sum ^= rand() ^ rand();
    printf("%d\n", sum);
    return 0;
}
