/* Calls of the file's own functions, which are executed again as a whole: arguments and results that are
   only passed on, registers that a function saves for callers which have not read them, and functions
   that other code calls as well, or that end in a call of other code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline, noclone))

static volatile int seed = 7;
static double weights[8] = { 1, 2.5, -3, 4, 0.5, 6, -7, 8.25 };

static OWN long last(long a, long b, const char *text, double factor)
{
    return a * 3 + b + text[0] + (long)(factor * weights[(a + b) & 7]);
}

/* It reads none of what it passes on. */
static OWN long passes(long a, long b, const char *text, double factor)
{
    long sum = last(a, b, text, factor);
    seed++;
    return sum;
}

/* What other code leaves is returned without being read. */
static OWN long length(const char *text)
{
    long found = (long)strlen(text);
    __asm__ __volatile__("" : "+r"(found));
    return found;
}

static OWN long other_result(const char *text)
{
    return strtol(text, NULL, 10);
}

static OWN double other_fraction(const char *text)
{
    double found = strtod(text, NULL);
    __asm__ __volatile__("" : : : "memory");
    return found;
}

/* It keeps many values over calls: which registers it saves, its callers need not have read. */
static OWN long busy(long a, long b, const char *text)
{
    long c = a ^ b, d = a + 2 * b, e = a - b, f = 3 * a, g = b * b;
    double x = weights[a & 7], y = weights[b & 7];
    for (int n = 0; n < 3; n++) {
        c += passes(d, e, text, x), d += passes(e, f, text + 1, y);
        e += length(text), f += g, x += y;
    }
    return c + d + e + f + g + (long)(x + y);
}

static OWN int compare(const void *one, const void *other)
{
    long a = *(const long *)one, b = *(const long *)other;
    return last(a, 0, "a", 0) < last(b, 0, "a", 0) ? -1 : a != b;
}

/* Other code calls it; it reads none of what it is given. */
static OWN int passes_on(const void *one, const void *other)
{
    int found = compare(one, other);
    seed++;
    return found;
}

static OWN long recursive(int depth, const char *text)
{
    if (depth == 0)
        return other_result(text);
    return recursive(depth - 1, text) + recursive(depth - 1, text + 1) * 2 + busy(depth, seed, text);
}

__attribute__((weak)) OWN long replaceable(long a)
{
    return a + seed;
}

static long (*volatile by_pointer)(long, long, const char *, double) = passes;

int main(void)
{
    long numbers[] = { 5, 3, 9, 1, 7, 2 }, sum = 0;
    qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, passes_on);
    for (int n = 0; n < 6; n++) {
        sum = sum * 31 + numbers[n] + busy(n, numbers[n], "hello") + replaceable(n);
        sum += by_pointer(n, sum & 15, "xyz", 1.5) + compare(numbers, numbers + n);
        sum += recursive(2, "12345") + (long)(4 * other_fraction("2.75"));
    }
    printf("%ld\n", sum & 0xffffff);
    return 0;
}
