/* A leaf function with more values than there are registers, which loads and stores in a loop. */
#include <stdint.h>
#include <stdio.h>

struct row {
    uint64_t cells[40];
};

__attribute__((noinline)) static uint64_t leaf(uint64_t *p, uint64_t *q, struct row *row,
                                               uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                               uint64_t e)
{
    uint64_t t = p[0], u = p[1], v = p[2], w = q[0], x = q[1];
    for (int i = 0; i < 100; i++) {
        t += row->cells[i % 7] * a;
        u ^= t + b;
        v -= u * c;
        w += v ^ d;
        x ^= w + e;
        p[i & 3] = t;
        q[i & 1] = x + u;
        row->cells[(i * 3) & 7] = v ^ w;
        row->cells[i & 15] = a;
        a += b;
        b ^= c;
        c += d;
        d ^= e;
        e += t;
    }
    return t + u + v + w + x + a + b + c + d + e;
}

int main(void)
{
    struct row row = { { 1, 2, 3 } };
    uint64_t p[4] = { 1, 2, 3, 4 }, q[4] = { 5, 6 };
    printf("%llu\n", (unsigned long long)leaf(p, q, &row, 1, 2, 3, 4, 5));
    printf("%llu\n", (unsigned long long)(p[0] + q[1] + row.cells[7]));
    return 0;
}
