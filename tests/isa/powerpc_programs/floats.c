/* Floating point: scalar, conversions, compares, complex and long double. */
#include <math.h>

double mixed(double a, float b, int c) {
    return sqrt(a) * b + c - (double)(unsigned)a + (float)a / b + fabs(a) - (a > b ? a : -b) +
           (long long)a;
}

float squares(const float *p, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += p[i] * p[i];
    return sum;
}

void scales(double *restrict p, const float *restrict q, int n) {
    for (int i = 0; i < n; i++) p[i] = p[i] * 3.0 - q[i];
}

_Complex double complexes(_Complex double a, _Complex double b) { return a * b; }

long double longs(long double a) { return a * a + 1; }

float from_integers(int i, unsigned u, long long l, short s) { return i + (float)u + (float)l + s; }

int to_integers(double a, float b) { return (int)a + (unsigned char)b + (short)(a * b); }

int classes(double a) { return isnan(a) + isinf(a) + signbit(a); }

int compares(double a, double b) { return (a < b) + 2 * (a <= b) + 4 * (a != b) + 8 * (a >= b); }

double polynomial(double x) { return ((x * 3.25 + 1.5) * x - 2.0) * -x + 1e-3; }

double rounds(double x) { return floor(x) + ceil(x) + trunc(x) + fmin(x, 2) + copysign(x, -1); }
