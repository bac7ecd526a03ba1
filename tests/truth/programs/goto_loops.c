/* Unstructured control: jumps into loops and out of them, irreducible flow. */
#include <stdio.h>

static int visits[10];

static int wander(int n)
{
    int i = 0, sum = 0;
    if (n & 1)
        goto middle;
top:
    visits[0]++;
    if (i > 50)
        goto out;
    sum += i;
middle:
    visits[1]++;
    i += 3;
    if (i % 4 == 0)
        goto top;
    visits[2 + i % 4]++;
    while (i % 7) {
        i++;
        if (i == 45)
            goto middle;
        sum ^= visits[i % 10];
    }
    goto top;
out:
    return sum * 10 + visits[1];
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 12; i++)
        sum = sum * 3 + wander(i);
    for (int i = 0; i < 10; i++)
        sum += visits[i] << i;
    printf("%d\n", sum);
    return 0;
}
