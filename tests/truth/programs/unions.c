/* Reading bits through unions: no result depends on the byte order. */
#include <stdint.h>
#include <stdio.h>

union bits32 { float f; uint32_t u; int32_t i; };
union bits64 { double d; uint64_t u; int64_t i; };

static int exponent_of(double d)
{
    union bits64 b;
    b.d = d;
    return (int)(b.u >> 52 & 0x7ff) - 1023;
}

static float inverse_root(float x)
{
    union bits32 b;
    b.f = x;
    b.u = 0x5f3759df - (b.u >> 1);
    for (int i = 0; i < 3; i++)
        b.f = b.f * (1.5f - 0.5f * x * b.f * b.f);
    return b.f;
}

int main(void)
{
    union bits64 boxes[12];
    uint64_t hash = 0;
    for (int i = 0; i < 12; i++) {
        if (i % 3)
            boxes[i].d = i * 1.25 - 4;
        else
            boxes[i].i = -(int64_t)i * (1LL << 40);
    }
    for (int i = 0; i < 12; i++)
        hash = (hash << 7 | hash >> 57) ^ boxes[i].u;
    printf("%016llx %d %d %.3f\n", (unsigned long long)hash, exponent_of(1e10), exponent_of(0.1),
           inverse_root(16));
    return 0;
}
