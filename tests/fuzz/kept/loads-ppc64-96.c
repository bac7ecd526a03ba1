/* | gcc -O1 -fno-plt -fstack-protector-all | pie record loads no-counter parts */
#include <stdio.h>

/* The load of the TOC pointer after the call of __stack_chk_fail runs on into the next function. */
int seen[4];

__attribute__((noinline)) int add(int number)
{
    int copy[8];
    for (int n = 0; n < 8; n++)
        copy[n] = seen[n & 3] + number;
    seen[number & 3] = copy[number & 7];
    return copy[(number + 1) & 7];
}

int main(void)
{
    int sum = 0;
    for (int n = 0; n < 9; n++)
        sum += add(n);
    printf("%d\n", sum);
    return 0;
}
