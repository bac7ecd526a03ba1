/* Accesses of VSX registers in all forms: by compilers, and what these make of few programs. */
#include <altivec.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define DO(CODE, ...) __asm__ __volatile__(CODE : : __VA_ARGS__ : "memory", USED)
#define USED "fr7", "fr8", "fr12", "v3", "v4", "v5", "v8", "v9"
typedef int words __attribute__((vector_size(16)));
typedef short halfwords __attribute__((vector_size(16)));
typedef double numbers __attribute__((vector_size(16)));

struct whole { long a, b, c, d; };
static struct whole one = { 5, 6, 7, 8 }, other;
static words some[20];
static halfwords more[20];
static numbers floats[20];
static unsigned char bytes[96] __attribute__((aligned(16)));
static double doubles[4] = { 1, -2.5, 3, 4 };
static float singles[4] = { 1.5, -2.5, 3.5, 4.5 };
static int number = -7;

static NOINLINE void copy(struct whole *to, const struct whole *from)
{
    *to = *from;
}

static NOINLINE void fill(int round)
{
    for (int n = 0; n < 20; n++) {
        some[n] += some[19 - n] + n + round;
        more[n] += more[0] + 3;
        floats[n] = floats[(n + 1) % 20] + 1.5 * n;
    }
}

static NOINLINE vector unsigned char rounded(const unsigned char *at)
{
    return vec_ld(3, at) + vec_ld(16, at);
}

static NOINLINE void put(vector unsigned char value, unsigned char *at)
{
    vec_st(value, 5, at);
    vec_ste(value, 1, at + 33);
    vec_ste((vector int)value, 4, (int *)(at + 48));
}

static NOINLINE double converted(const int *whole, const float *single)
{
    return *whole + *single;
}

static NOINLINE void scalars(void)
{
    DO("lxsdx 40,0,%0\n\tlxvdsx 41,0,%0\n\tlxsdx 7,0,%0\n\tstxsdx 41,0,%1\n\tstxsdx 7,0,%1",
       "b"(doubles), "b"(bytes));
    DO("lxsspx 40,0,%0\n\tlxsspx 8,0,%0\n\tstxsspx 40,0,%1\n\tstxsspx 8,0,%1", "b"(singles),
       "b"(bytes));
    DO("lxsiwax 40,0,%0\n\tlxsiwzx 8,0,%0\n\tlfiwax 7,0,%0\n\tstxsiwx 40,0,%1\n\tstfiwx 7,0,%1",
       "b"(&number), "b"(bytes));
}

static NOINLINE void wholes(void)
{
    DO("lxvw4x 40,0,%0\n\tlxvd2x 12,0,%0\n\tlvx 3,0,%0\n\tstxvw4x 40,0,%1\n\tstxvd2x 12,%1,%2\n\t"
       "lvx 4,%0,%2\n\tstvx 3,0,%1\n\tstvxl 4,%1,%2", "b"(bytes), "b"(bytes + 32), "r"(16L));
#if POWER > 8
    DO("lxvh8x 40,0,%0\n\tlxvb16x 12,0,%0\n\tlxv 3,16(%0)\n\tlxvx 36,%0,%2\n\tstxvh8x 40,0,%1\n\t"
       "stxvb16x 12,%1,%2\n\tstxv 3,0(%1)\n\tlxvwsx 37,0,%0\n\tlxsibzx 40,0,%0\n\t"
       "lxsihzx 8,0,%0\n\tstxsibx 40,0,%1\n\tstxsihx 8,0,%1\n\tlxsd 4,8(%0)\n\tlxssp 5,4(%0)\n\t"
       "stxsd 4,0(%1)\n\tstxssp 5,4(%1)", "b"(bytes), "b"(bytes + 32), "r"(16L));
#endif
#if POWER > 9
    DO("lxvrbx 40,0,%0\n\tlxvrhx 12,0,%0\n\tlxvrwx 36,%0,%2\n\tlxvrdx 35,%0,%2\n\t"
       "stxvrbx 40,0,%1\n\tstxvrhx 12,0,%1\n\tstxvrwx 36,0,%1\n\tstxvrdx 35,0,%1\n\t"
       "plxv 36,32(%0)\n\tplxsd 5,8(%0)\n\tplfs 7,4(%0)\n\tpstxv 36,0(%1)\n\tpstxsd 5,16(%1)\n\t"
       "pstfs 7,24(%1)",
       "b"(bytes), "b"(bytes + 32), "r"(16L));
#endif
}

int main(void)
{
    unsigned sum = 0;
    for (unsigned n = 0; n < sizeof bytes; n++)
        bytes[n] = n * 3;
    copy(&other, &one);
    fill(1);
    fill(2);
    put(rounded(bytes + 2), bytes + 16);
    doubles[3] = converted(&number, singles);
    scalars();
    wholes();
    for (unsigned n = 0; n < sizeof bytes; n++)
        sum = sum * 31 + bytes[n];
    printf("%u %ld %g %d %g\n", sum, other.d, doubles[3], some[3][1], floats[4][1]);
    return 0;
}
