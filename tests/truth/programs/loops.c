/* Nested, strided, backward and early-leaving loops over arrays. */
#include <stdio.h>

static int cells[40][30];
static short narrow[100];

static int first_over(const short *at, int count, int limit)
{
    for (int i = 0; i < count; i++) {
        if (at[i] < 0)
            continue;
        if (at[i] > limit)
            return i;
    }
    return -1;
}

int main(void)
{
    long sum = 0;
    for (int row = 0; row < 40; row++)
        for (int column = 29; column >= 0; column -= 3)
            cells[row][column] = row * column - 7;
    for (int column = 0; column < 30; column++)
        for (int row = 0; row < 40; row += 7)
            sum += cells[row][column];
    for (int i = 0; i < 100; i++)
        narrow[i] = (short)(i * i % 37 - 10);
    int i = 99;
    do
        narrow[i] ^= narrow[i / 2];
    while (--i > 0);
    while (i < 100 && narrow[i] != 5)
        sum += narrow[i++];
    printf("%ld %d %d\n", sum, first_over(narrow, 100, 20), i);
    return 0;
}
