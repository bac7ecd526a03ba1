#include <stdio.h>
#include <unistd.h>

extern int hand_close(int descriptor);
#ifdef __PPC__
extern int hand_take(int *p, int wanted, int instead), hand_swap(int *p, int wanted, int instead);
#endif

int main(void)
{
    int ends[2];
    unsigned sum = 0;
    if (pipe(ends))
        return 1;
    sum += hand_close(ends[0]) + 10 * hand_close(ends[1]) + 100 * hand_close(ends[0]);
#ifdef __PPC__
    static int cell = 3;
    for (int n = 0; n < 12; n++) {
        sum = 3 * sum + hand_take(&cell, 3 + (n & 3), n);
        sum = 3 * sum + hand_swap(&cell, 0, 3 + (n & 1));
    }
#endif
    printf("%u\n", sum);
    return 0;
}
