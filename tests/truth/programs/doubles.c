/* Double arithmetic: polynomial, Newton's method, conversions, comparisons. */
#include <stdio.h>

static double coefficients[] = {1.5, -2.25, 0.125, 3.0, -0.5};
static double results[20];

static double horner(double x)
{
    double value = 0;
    for (int i = 4; i >= 0; i--)
        value = value * x + coefficients[i];
    return value;
}

static double square_root(double x)
{
    double guess = x > 1 ? x / 2 : 1;
    for (int i = 0; i < 30; i++)
        guess = (guess + x / guess) / 2;
    return guess;
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < 20; i++)
        results[i] = horner(i * 0.25 - 2);
    for (int i = 0; i < 20; i++)
        sum += results[i] < 0 ? -results[i] : square_root(results[i]);
    unsigned whole = (unsigned)(sum * 1000);
    int negative = (int)(-sum * 10);
    float single = (float)sum;
    printf("%.6f %u %d %.3f %.4f\n", sum, whole, negative, single, square_root(2));
    return 0;
}
