/* Calls of functions in another object, and calls from there: by name, by pointer, at the start and
   the end, from a sort and a handler, past frames, with results of all kinds. */
#include "mixed.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int numbers[24], calls;
static jmp_buf place;

static int twice(int n)
{
    calls++;
    return 2 * n;
}

int ours(int depth)
{
    return depth ? numbers[depth] + theirs(depth - 1) : 1;
}

static int compare(const void *one, const void *other)
{
    calls++;
    return *(const int *)one - *(const int *)other;
}

static void on_signal(int number)
{
    calls += number + each(numbers, 3, twice);
}

void leave(int value)
{
    longjmp(place, value);
}

int main(void)
{
    for (int n = 0; n < 24; n++)
        numbers[n] = 37 * n % 24;
    printf("%d %d\n", at_start, each(numbers, 24, twice));
    printf("%d\n", ours(12));
    qsort(numbers, 24, sizeof numbers[0], compare);
    sort(numbers + 4, 9);
    printf("%d %d\n", numbers[3], numbers[10]);

    struct mean mean = mean_of(numbers, 24);
    printf("%.3f %.3f %lld\n", mean.value, scaled(mean.value, 3), (long long)squared(mean.sum));
    printf("%d\n", several(1, 2, 3, 4, 5, 6, 7, 8, 9, 10.5));

    volatile int times = 0;
    int value = setjmp(place);
    if (value < 3)
        leave_later(++times, value + 1);
    printf("%d %d\n", times, value);

    signal(SIGUSR1, on_signal);
    signal(SIGUSR2, on_their_signal);
    for (int n = 0; n < 3; n++)
        raise(n % 2 ? SIGUSR1 : SIGUSR2);
    raise_there(SIGUSR1);
    raise_there(SIGUSR2);

    printf("%d %d\n", calls, signals);
    return 0;
}
