/* gcc's nested functions: the static chain, and non-local variables two levels up. */
#include <stdio.h>

static int apply(int count, int step)
{
    int total = 0, calls[4] = {0};
    __attribute__((noinline)) int visit(int n)
    {
        __attribute__((noinline)) void note(int which)
        {
            calls[which & 3]++;
            total += which * step;
        }
        note(n);
        if (n > 0)
            return visit(n - 1) + total;
        note(step);
        return total;
    }
    int result = visit(count);
    return result + calls[0] * 1000 + calls[3];
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 8; i++)
        sum = sum * 3 + apply(i, i * 2 + 1);
    printf("%ld\n", sum & 0xffffff);
    return 0;
}
