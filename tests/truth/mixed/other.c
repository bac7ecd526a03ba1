/* The other object: see main.c. */
#include "mixed.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int at_start, signals;
static char text[32];

__attribute__((constructor)) static void start(void)
{
    at_start = snprintf(text, sizeof text, "start %d", signals) + (int)strlen(text);
}

__attribute__((destructor)) static void end(void)
{
    printf("%s %d\n", text, ours(2));
}

int each(const int *numbers, int count, int (*function)(int))
{
    int sum = 0;
    for (int n = 0; n < count; n++)
        sum += function(numbers[n]);
    return sum;
}

int theirs(int depth)
{
    return depth ? text[depth] + ours(depth - 1) : 2;
}

static int descending(const void *one, const void *other)
{
    return *(const int *)other - *(const int *)one;
}

void sort(int *numbers, int count)
{
    qsort(numbers, count, sizeof numbers[0], descending);
}

struct mean mean_of(const int *numbers, int count)
{
    struct mean mean = { 0, 0, count };
    for (int n = 0; n < count; n++)
        mean.sum += numbers[n];
    mean.value = (double)mean.sum / count;
    return mean;
}

double scaled(double value, int by)
{
    return by ? value + scaled(value / 2, by - 1) : 0;
}

int64_t squared(int64_t value)
{
    return value * value;
}

int several(int a, int b, int c, int d, int e, int f, int g, int h, int i, double j)
{
    int all[] = { a, b, c, d, e, f, g, h, i, (int)(2 * j) };
    return each(all, 10, abs);
}

void leave_later(int depth, int value)
{
    char room[64];
    memset(room, depth, sizeof room);
    if (depth)
        leave_later(depth - 1, value);
    leave(value + room[3]);
}

void on_their_signal(int number)
{
    signals += number + theirs(3);
}

void raise_there(int number)
{
    for (int n = 0; n < 2; n++)
        raise(number);
}
