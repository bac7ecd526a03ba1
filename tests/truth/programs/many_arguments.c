/* Calls whose arguments overflow the registers: integers, wide integers, reals mixed. */
#include <stdio.h>

static __attribute__((noinline)) long long
gather(int a, long long b, char c, short d, double e, long long f, int g, float h, long long i, unsigned char j,
       double k, int l, long long m, double n, double o, double p, double q, double r, double s, double t)
{
    return a + b * 3 + c * 5 + d * 7 + (long long)(e * 8) + f + g * 2 + (long long)(h * 4) + i * 11 + j
           + (long long)(k + l + n - o + p - q + r - s + t * 2) + m;
}

static __attribute__((noinline)) int twelve(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int *l)
{
    *l += a - b + c - d;
    return a * b + c * d + e * f + g * h + i * j + k * *l;
}

int main(void)
{
    int held = 3;
    long long sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += gather(i, i * 1000000007LL, (char)i, (short)-i, i / 8.0, 5, 6, 7.5f, 1LL << i, 200, 1.5, -i, -9, 1, 2, 3, 4,
                      5, 6, 7);
        sum ^= twelve(i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, &held);
    }
    printf("%lld %d\n", sum, held);
    return 0;
}
