/* Greet over the UART, and sort a few numbers. */
#include "board.h"

static unsigned numbers[] = { 170, 45, 75, 90, 802, 24, 2, 66 };
static unsigned long long sum;
static short halves[4];

enum { COUNT = sizeof numbers / sizeof *numbers };

static void sort(unsigned *at, int count)
{
    for (int end = 1; end < count; end++) {
        unsigned number = at[end];
        int place = end;
        for (; place && at[place - 1] > number; place--)
            at[place] = at[place - 1];
        at[place] = number;
    }
}

int main(void)
{
    board_print("hello\n");
    sort(numbers, COUNT);
    for (int n = 0; n < COUNT; n++) {
        sum += numbers[n];
        halves[n & 3] ^= numbers[n];
        board_print_number(numbers[n]);
        board_putchar('\n');
    }
    board_halt();
}
