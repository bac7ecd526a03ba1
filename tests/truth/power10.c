/* What compilers make other instructions of for POWER10 than before: addresses that are relative to the
 * code, numbers of 34 bits, conditions as numbers, vectors of them, and 128 bits. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 70 };
long a = 5, table[COUNT];
int b = 3, words[COUNT], more[COUNT];
short c;
unsigned char d, text[COUNT];
double e = 1, reals[COUNT];
float f = 1, singles[COUNT];
static int hidden;
__attribute__((vector_size(16))) int lanes;
__attribute__((vector_size(16))) unsigned long pairs = {3, 1234567890123};
__int128 wide = 1;
struct large {
    char before[100000];
    long number;
    double real;
    int part;
} large;

__attribute__((noinline)) static void scalars(int count)
{
    for (int n = 0; n < count; n++) {
        a += n * 1000003L;
        b -= n;
        c ^= n * 3;
        d += 3;
        e += n / 3.0;
        f *= 1.5f;
        table[n % COUNT] += a + 0x123456789L;
        hidden += b;
        lanes += n;
        pairs = pairs * pairs + 12345;
        wide = wide * 3 + a;
    }
}

__attribute__((noinline)) static void vectors(int count)
{
    for (int n = 0; n < count; n++) {
        words[n] = n * 77 - 1000;
        reals[n] = n * 0.1;
        singles[n] = n * 0.3f;
        text[n] = n * 7;
    }
    for (int n = 0; n < count; n++)
        more[n] = words[n] > 100 ? words[n] / (n + 3) : words[n] % (n + 5);
    for (int n = 0; n < count; n++)
        table[n] = table[n] * more[n] + table[n] / (n + 9) - table[n] % 13;
    for (int n = 0; n < count; n++)
        singles[n] = (float)reals[n] * singles[n] + 0.1f;
}

__attribute__((noinline)) static long conditions(long x, long y, unsigned long z)
{
    return (x < y) + 2 * (x == y) - (x > (long)z) + !z + -(x != y) + (y >= 7 ? 5 : 9);
}

__attribute__((noinline)) static unsigned long swapped(uint16_t x, uint32_t y, uint64_t z)
{
    return __builtin_bswap16(x) + __builtin_bswap32(y) + __builtin_bswap64(z) + __builtin_ctzl(z | 1);
}

__attribute__((noinline)) static __int128 divided(__int128 x, __int128 y)
{
    return x / y + x % y + (x >> (int)(y & 63)) + (x < y) + ((unsigned __int128)x << 3);
}

__attribute__((noinline)) static void far(struct large *to, int n)
{
    to->number += n;
    to->real = to->real * 0.5 + n;
    to->part ^= (int)to->number;
    to->before[70000 + n] = n;
}

int main(void)
{
    long sum = 0;
    scalars(100);
    vectors(COUNT);
    for (int n = -5; n < 5; n++) {
        sum = sum * 31 + conditions(n, n * n - 2, n);
        sum ^= swapped(n * 7, n * 77777, n * 7777777777L);
        sum += divided((__int128)n << 70, n * 3 + 1);
        far(&large, n & 7);
    }
    struct large copy[2];
    memset(copy, 1, sizeof copy);
    far(copy + (sum & 1), 3);
    for (int n = 0; n < COUNT; n++)
        sum += table[n] + more[n] + (long)(singles[n] * 10) + text[n] + copy[n & 1].part;
    printf("%ld %ld %d %d %d %g %g %d\n", sum, a, b, c, d, e, f, hidden);
    printf("%d %lx %lx %g\n", lanes[1], pairs[0] ^ pairs[1], (long)(wide >> 64) ^ (long)wide, large.real);
    return 0;
}
