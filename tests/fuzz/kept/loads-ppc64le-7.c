/* | gcc -Os -mlongcall | fixed record loads no-counter parts */
#include <stdio.h>

/* The linker makes a direct call of an inline PLT call, and a nop of the word that follows it. */
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
    printf("%d\n", sum);
    return 0;
}
