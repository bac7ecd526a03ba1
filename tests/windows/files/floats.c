/* Floating-point values that live across counted branches, calls and register windows. */
#include <stdio.h>

__attribute__((noinline)) double sum(double x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = s * x + i;
    return s;
}

__attribute__((noinline)) int calls(int n, double *d)
{
    *d += n;
    return n < 2 ? n : calls(n - 1, d) + calls(n - 2, d);
}

int main(void)
{
    double d = 0;
    int n = calls(12, &d);
    printf("%d %g %g\n", n, d, sum(1.01, 100));
    return 0;
}
