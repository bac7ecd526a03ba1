/* Double matrices: product, transpose, elimination. -DSCALE=N makes it a benchmark. */
#include <stdio.h>

#ifndef SCALE
#define SCALE 1
#endif
#define SIZE 12

static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

static void multiply(double (*out)[SIZE], double (*x)[SIZE], double (*y)[SIZE])
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += x[i][k] * y[k][j];
            out[i][j] = sum;
        }
}

static double determinant(double (*m)[SIZE])
{
    double product = 1;
    for (int i = 0; i < SIZE; i++) {
        product *= m[i][i];
        for (int row = i + 1; row < SIZE; row++) {
            double factor = m[row][i] / m[i][i];
            for (int column = i; column < SIZE; column++)
                m[row][column] -= factor * m[i][column];
        }
    }
    return product;
}

int main(void)
{
    double trace = 0;
    for (int round = 0; round < SCALE; round++) {
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++) {
                a[i][j] = (i * 5 + j * 3 + round) % 7 / 8.0;
                b[j][i] = i == j ? 2 : (i - j) / 16.0;
            }
        multiply(c, a, b);
        multiply(a, b, b);
        for (int i = 0; i < SIZE; i++)
            trace += c[i][i];
    }
    printf("%.6f %.5e\n", trace, determinant(a));
    return 0;
}
