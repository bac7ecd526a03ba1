/* Computes by the C library and writes what comes of it. */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 500, BLOCKS = 200, BYTES = 3000, DEPTH = 3000 };
static unsigned hash;

static int compared(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

static void sorted(void)
{
    int numbers[NUMBERS];
    unsigned next = 12345;
    for (int n = 0; n < NUMBERS; n++)
        numbers[n] = (next = next * 1103515245 + 12345) >> 3;
    qsort(numbers, NUMBERS, sizeof *numbers, compared);
    for (int n = 0; n < NUMBERS; n++)
        hash = hash * 31 + numbers[n];
    printf("%u\n", hash);
}

static void functions(void)
{
    for (double x = -3; x < 9; x += 0.37) {
        printf("%.17g %.17g %.9g %a\n", sin(x), exp(x), sqrtf(fabsf(x)), pow(fabs(x), 1.7));
        printf("%.17g %.17g\n", log(fabs(x)) + atan2(x, 2), cbrt(x) + tgamma(x + 4));
        printf("%.9g %.9g %.9g %Lg\n", sinf(x), expf(x), powf(fabs(x), 1.7f), (long double)x * 3);
    }
}

static void text(void)
{
    char line[200];
    for (int n = 0; n < 60; n++) {
        sprintf(line, "%d-%lld-%x-%s", n, n * 1234567891234LL, n * 77777, "abc");
        printf("%s %zu %ld %g\n", line, strlen(line), strtol(line, 0, 0), strtod(line + 1, 0));
    }
    printf("%lld %llu\n", (long long)hash * -123456789 / 977, 0xfedcba9876543210ull % (hash | 1));
}

static void memory(void)
{
    static char first[BYTES], second[BYTES];
    char *blocks[BLOCKS];
    for (int n = 0; n < BLOCKS; n++)
        blocks[n] = memset(malloc(n * 37 + 1), n, n * 37 + 1);
    for (int n = 0; n < BLOCKS; n += 2)
        free(blocks[n]);
    for (int n = 1; n < BLOCKS; n += 2) {
        blocks[n] = realloc(blocks[n], n * 91);
        hash += blocks[n][n * 36];
    }
    for (int n = 0; n < BYTES; n++)
        first[n] = n * 7;
    for (int n = 0; n < 60; n++) {
        memmove(second + n, first + n * 3, 2000 + n);
        memcpy(first + n * 2, second + n, 900);
        hash = hash * 33 + (memcmp(first, second, 1000) > 0) + first[n * 40];
    }
    printf("%u %zu\n", hash, strcspn("hello world", "w"));
}

static int sum(int n)
{
    return n ? n + sum(n - 1) : 0;
}

#ifndef NO_LONGJMP
static jmp_buf place;

static int deep(int n)
{
    if (n == 0)
        longjmp(place, 7);
    return deep(n - 1) + n;
}
#endif

int main(void)
{
    sorted(), functions(), text(), memory();
    printf("%d\n", sum(DEPTH));
#ifndef NO_LONGJMP
    if (!setjmp(place))
        deep(30);
    else
        printf("jumped\n");
#endif
    return 0;
}
