/* One function that is sampled, with what it calls; the same work is done outside of it, too. */
#include <setjmp.h>
#include <stdio.h>
#define OWN __attribute__((noipa))

static int table[64];
static short halves[64];
static jmp_buf there;

OWN int helper(int n)
{
    return table[n & 63] + halves[n & 63];
}
OWN int work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        table[i & 63] += i;
        halves[i & 31] = i;
        sum += helper(i);
    }
    if (n == 13)
        longjmp(there, 1);
    return n > 30 ? work(n - 17) + sum : sum;
}
OWN int outside(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[i & 63] += i;
    return sum;
}
int main(void)
{
    volatile int sum = outside(20) + work(20);
    sum += outside(7);
    sum += work(60);
    if (!setjmp(there))
        work(13);
    sum += outside(33) + work(5);
    printf("%d\n", sum);
    return 0;
}
