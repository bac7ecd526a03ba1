/* The sum of a table, by rows or, with an argument, by columns: caches see the difference. */
#include <stdio.h>

int table[256][256];

int main(int count, char **words)
{
    int sum = 0;
    (void)words;
    for (int i = 0; i < 256; i++)
        table[i][i] = i;
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 256; j++)
            sum += count > 1 ? table[j][i] : table[i][j];
    printf("%d\n", sum);
    return 0;
}
