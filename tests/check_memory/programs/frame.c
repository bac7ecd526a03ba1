#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    unsigned flag : 3, rest : 29;
    int count;
    double value;
    char text[12];
};

#define APART __attribute__((noinline, noclone))

static APART int sum_of(int count, ...)
{
    va_list list;
    int sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int);
    va_end(list);
    return sum;
}

static APART int by_value(struct part one)
{
    return one.count + one.flag + one.text[0];
}

static int compare(const void *a, const void *b)
{
    volatile int own = *(const char *)a - *(const char *)b;
    return own;
}

/* Leave numbers in the stack, others each time. */
static APART void dirty(int n)
{
    static unsigned number = 1;
    volatile unsigned some[64];
    for (int i = 0; i < 64; i++)
        some[i] = number = number * 1103515245 + n;
}

/* Right: a bit-field, structures that are not all set, copies of them, memory that a caller, the C
   library or an earlier call has set, more arguments than registers, callbacks from the C library. */
static APART int right(int n)
{
    struct part one, other;
    char text[64], letters[] = "uninitialised";
    int some[16];
    div_t parts;
    one.flag = n;
    one.count = n;
    strcpy(one.text, "abc");
    other = one;
    dirty(n);
    snprintf(text, sizeof text, "%d %s", n, other.text);
    memset(some, 0, sizeof some);
    parts = div(n, 3);
    qsort(letters, sizeof letters - 1, 1, compare);
    char *taken = __builtin_alloca(n * 4);
    memcpy(taken, letters, n);
    return sum_of(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, n) + by_value(other) + text[0] + some[n]
           + parts.rem + parts.quot + taken[n - 1];
}

static APART int wrong_value(int n)
{
    volatile int value[16], set = n;
    if (set > 100)
        value[8] = n;
    dirty(n);
    return value[8] & 3;            /* the value was not set */
}

static APART int wrong_place(int n)
{
    volatile int some[16];
    int sum = 0;
    for (int i = 0; i < n; i++)
        some[i] = i;
    dirty(n);
    for (int i = 0; i <= n; i++)
        sum += some[i] & 3;         /* the last one was not set */
    return sum > 1000;
}

int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += right(argc + 4 + i);
    printf("%d\n", sum);
    dirty(argc);
    return argc > 1 ? wrong_value(argc) + wrong_place(argc + 4) > 100 : 0;
}
