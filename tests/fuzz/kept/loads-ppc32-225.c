/* ppc32: | gcc -O2 -mlongcall | pie record loads no-counter parts
   ppc64: | clang -O0 | pie record loads no-counter parts
   ppc64le: | gcc -Os -mlongcall | fixed record loads no-counter parts */
#include <stdio.h>
#include <stdlib.h>

/* Inline PLT calls load the addresses of functions that other code has; where the linker makes
   direct calls of them, it replaces the word after the call by a nop.  clang gives functions that
   descriptors name local labels. */
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
