/* Calls crooked.s, and prints all it did. */
#include <stdio.h>

int crooked(int *words);

static _Alignas(64) int words[16];

int main(void)
{
    for (int n = 0; n < 16; n++)
        words[n] = 0x01020304 * (n + 1);
    printf("%d", crooked(words));
    for (int n = 0; n < 16; n++)
        printf(" %08x", (unsigned)words[n]);
    printf("\n");
}
