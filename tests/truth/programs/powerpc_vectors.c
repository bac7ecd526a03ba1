/* Whole vector registers where others may arrive, and accesses of as many bytes as a register says.
   Targets: ppc64le
   Flags: -mcpu=power9 */
#include <altivec.h>
#include <stdio.h>
#include <stdlib.h>

static float first[4] = { 1, 2, 3, 4 }, second[4] = { 8, 16, 32, 64 }, sums[4];
static const float expected[4] = { 9, 18, 35, 68 };
static unsigned char from[64], to[64];

/* The sums are compared in their register: where `abort` would return, only halves of it are known. */
__attribute__((noinline)) static void add(void)
{
    vector float sum = vec_add(vec_xl(0, first), vec_xl(0, second));
    vec_xst(sum, 0, sums);
    for (int n = 0; n < 4; n++)
        if (sum[n] != expected[n])
            abort();
}

__attribute__((noinline)) static void copy(unsigned long length)
{
    vec_xst_len(vec_xl_len(from + length, length), to + length, length);
    vec_xst_len_r(vec_xl_len_r(from + length, length), to + length + 1, length);
}

int main(void)
{
    unsigned hash = 0;
    add();
    for (int n = 0; n < 64; n++)
        from[n] = n * 7;
    for (unsigned long length = 0; length < 20; length++)
        copy(length);
    for (int n = 0; n < 64; n++)
        hash = hash * 31 + to[n];
    printf("%g %g %u\n", sums[0], sums[3], hash);
    return 0;
}
