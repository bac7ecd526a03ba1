#include <stdio.h>

void extended(long long *words);

int main(void)
{
    long long words[8] = { 0x1234567887654321, 7, 7, 7, 7, 7, 7, 7 };
    extended(words);
    for (int n = 0; n < 8; n++)
        printf("%llx\n", words[n]);
    return 0;
}
