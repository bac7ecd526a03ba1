/* long double: 128 bits in software on SPARC, a pair of doubles on PowerPC. */
#include <stdio.h>

static long double terms[24];

int main(void)
{
    long double factorial = 1, e = 0, product = 1;
    for (int i = 0; i < 24; i++) {
        terms[i] = 1 / factorial;
        factorial *= i + 1;
    }
    for (int i = 23; i >= 0; i--)
        e += terms[i];
    for (int i = 1; i < 10; i++)
        if (terms[i] < 0.1L)
            product *= 1 + terms[i];
        else
            product -= (int)(terms[i] * 8);
    printf("%.12Lf %.10f\n", e, (double)product);
    return 0;
}
