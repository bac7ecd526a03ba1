/* memcpy, memset, memmove, memcmp, inlined for small constant sizes and called for others. */
#include <stdio.h>
#include <string.h>

struct block { char data[24]; };
struct odd { char data[7]; };

static char area[256], other[256];

static unsigned sum_of(const char *at, int size)
{
    unsigned sum = 0;
    while (size--)
        sum = sum * 31 + (unsigned char)*at++;
    return sum;
}

int main(void)
{
    struct block a, b;
    struct odd c, d;
    memset(&a, 0x5a, sizeof a);
    memset(area, 0, sizeof area);
    memset(area + 3, 7, 13);
    a.data[5] = 1;
    b = a;
    memcpy(&c, b.data + 2, sizeof c);
    d = c;
    memcpy(area + 32, &d, 7);
    memcpy(area + 41, &b, 24);
    memmove(area + 45, area + 41, 24);
    memcpy(other, area, 64);
    for (int i = 1; i < 40; i += 6)
        memcpy(other + 64 + i, area + i, (size_t)i);
    printf("%u %u %d %d\n", sum_of(area, 256), sum_of(other, 256), memcmp(&a, &b, sizeof a) == 0,
           memcmp(other, area, 64) == 0);
    return 0;
}
