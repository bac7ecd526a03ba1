/* Small data of every kind, also in a signal handler, and assembly that reads it. */
#include <signal.h>
#include <stdio.h>

int small_forms(int flag, int *words);

int cell = 7;
static int own = 9;
short half = -2;
unsigned char bytes[3] = { 1, 2, 3 };
double wide = 1.5;
float narrow = 0.25f;
long long long_number = 0x100000002;
int *pointer = &cell;
struct pair {
    int first, second;
} pair = { 4, 5 };
static volatile sig_atomic_t handled;
extern int shared;
int large[100];

static void handler(int number)
{
    handled += number;
    cell ^= handled;
}

static void __attribute__((noinline)) change(int by)
{
    cell += by;
    own -= by;
    half *= 2;
    bytes[by % 3] ^= by;
    wide += by;
    narrow *= 2;
    long_number *= by + 2;
    pair.second += *pointer;
    pair.first = own;
    large[by] = cell;
    raise(SIGUSR1);
}

static int __attribute__((noinline)) many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    int sum = a ^ b ^ c ^ d;
    for (int n = 0; n < 4; n++) {
        sum += cell * a + own * b + half * c + pair.first * d + pair.second * e;
        cell = sum ^ f ^ g ^ h;
    }
    return sum + a + b + c + d + e + f + g + h;
}

int main(void)
{
    int words[16] = { 0 };
    signal(SIGUSR1, handler);
    for (int n = 0; n < 6; n++)
        change(n);
    printf("%d %d %d %d %d %d\n", cell, own, half, bytes[0], bytes[1], bytes[2]);
    printf("%g %g %llx %d %d\n", wide, narrow, long_number, pair.first, pair.second);
    printf("%d %d\n", many(1, 2, 3, 4, 5, 6, 7, 8), (int)handled);
    for (int flag = 0; flag < 2; flag++) {
        printf("%d:", small_forms(flag, words));
        for (int n = 0; n < 10; n++)
            printf(" %x", (unsigned)words[n]);
        printf(" %d\n", shared);
    }
    return 0;
}
