/* What re-execution may not take from its own memory: it was changed by code without instrumentation, by
 * the kernel, or by a handler; and stack memory that others have used in between. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 40 };
struct padded {
    char first;
    int second;
    char third;
    double fourth;
};

static int numbers[MANY], others[MANY];
static struct padded from, to;
static volatile sig_atomic_t hits;
static char text[64];
static jmp_buf back;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile set)(void *, int, size_t) = memset;

static int by_value(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static void handler(int number)
{
    numbers[hits++ % MANY] += number;
    if (hits % 8 == 7)
        longjmp(back, 1);
}

__attribute__((noinline)) static int sum(const int *at)
{
    int found = 0;
    for (int n = 0; n < MANY; n++)
        found = found * 3 + at[n];
    return found;
}

/* Reads what it has not set: what the last function has left, or the code of hooks. */
__attribute__((noinline)) static unsigned stale(int depth)
{
    volatile unsigned found[24];
    unsigned all = 0;
    if (depth & 1)
        for (int n = 0; n < 24; n++)
            found[n] = depth * n;
    for (int n = 0; n < 24; n++)
        all |= found[n] != 0;
    return all <= 1;
}

/* The pieces of a number are loaded and stored by other sizes, and off their alignment. */
__attribute__((noinline)) static int pieces(void)
{
    volatile char room[32];
    int all = 0;
    for (int n = 0; n < 32; n++)
        room[n] = n * 7;
    for (int n = 0; n < 24; n += 3) {
        long whole;
        for (int round = 0; round < 3; round++) {
            memcpy(&whole, (char *)room + n, sizeof whole);
            all += whole & 255;
        }
        room[n + 1] ^= all;
    }
    return all;
}

int main(void)
{
    int ends[2], all = 0;
    signal(SIGUSR1, handler);
    if (pipe(ends))
        return 1;
    for (int round = 0; round < 12; round++) {
        for (int n = 0; n < MANY; n++)
            numbers[n] = n * round % 17;
        all += sum(numbers) + sum(numbers);
        qsort(numbers, MANY, sizeof *numbers, by_value);
        all += sum(numbers);
        copy(others, numbers, sizeof numbers / (round % 3 + 1));
        all += sum(others);
        set(numbers, round & 1, sizeof numbers / 2);
        all += sum(numbers);
        if (write(ends[1], "0123456789abcdef", 16) != 16 || read(ends[0], text + round, 16) != 16)
            return 2;
        for (int n = 0; n < 64; n++)
            all += text[n];
        if (!setjmp(back))
            raise(SIGUSR1);
        all += sum(numbers) + hits;
        from.second += round, from.fourth += all;
        to = from;
        all += to.second + stale(round) + pieces();
    }
    printf("%d\n", all);
    return 0;
}
