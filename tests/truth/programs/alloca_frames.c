/* alloca and variable-length arrays: stack pointers that move inside a function. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static unsigned checksum(const unsigned char *at, int size)
{
    unsigned sum = 0;
    for (int i = 0; i < size; i++)
        sum = sum * 17 + at[i];
    return sum;
}

static unsigned grow(int depth)
{
    unsigned char *block = alloca((size_t)depth * 13 + 1);
    memset(block, depth, (size_t)depth * 13 + 1);
    block[depth] = 99;
    unsigned inner = depth > 1 ? grow(depth - 1) : 0;
    return inner + checksum(block, depth * 13 + 1);
}

static int triangle(int size)
{
    int rows[size][size + 1], sum = 0;
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++)
            rows[i][j] = j == 0 || j == i ? 1 : rows[i - 1][j - 1] + rows[i - 1][j];
    for (int j = 0; j < size; j++)
        sum += rows[size - 1][j] * (j & 1 ? 2 : 1);
    return sum;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        char *piece = alloca(16);
        sprintf(piece, "piece %d", i * 111);
        sum += (int)strlen(piece) + piece[6];
    }
    printf("%u %d %d\n", grow(9), triangle(12), sum);
    return 0;
}
