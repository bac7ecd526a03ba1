/* Volatile accesses may be neither merged nor dropped. */
#include <stdio.h>

static volatile int device[4];
static volatile unsigned char status;
static volatile long long wide;
static volatile double real;

static int poll(int rounds)
{
    int seen = 0;
    while (rounds--) {
        device[0];
        status;
        device[1] = rounds;
        device[1] = rounds + 1;
        seen += device[1];
        status |= (unsigned char)rounds;
        wide += device[1];
        wide;
        real *= 0.5;
        real += wide;
    }
    return seen;
}

int main(void)
{
    int seen = poll(50);
    printf("%d %d %lld %.6f\n", seen, status, wide, real);
    return 0;
}
