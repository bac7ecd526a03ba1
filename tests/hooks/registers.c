/* Compiled code that counts in several ways, and assembly that knows all registers. */
#include <stdio.h>

void known(void);
void known_own(void);
void known_dead(void);

/* A leaf with a loop: the return address is live, and there are dead registers. */
__attribute__((noinline)) unsigned leaf(const unsigned char *text)
{
    unsigned sum = 5381;
    while (*text)
        sum = sum * 33 + *text++;
    return sum;
}

/* A loop around a call: the return address is in the frame. */
__attribute__((noinline)) unsigned caller(unsigned count)
{
    unsigned sum = 0;
    for (unsigned n = 0; n < count; n++)
        sum ^= leaf((const unsigned char *)"registers" + n);
    return sum;
}

__attribute__((noinline)) unsigned tail(unsigned n)
{
    return n & 1 ? caller(n) : leaf((const unsigned char *)"tail");
}

__attribute__((noinline)) unsigned deep(unsigned n, unsigned (*call)(unsigned))
{
    return n ? deep(n - 1, call) + call(n) : 1;
}

/* Many values at once, and condition codes that live over the branch. */
__attribute__((noinline)) unsigned long long wide(unsigned long long a, unsigned long long b)
{
    unsigned long long c = a ^ b, d = a + b, e = a * 7;
    for (int n = 0; n < 5; n++) {
        c = c * 3 + (d > e), d = d - c + (a > d), e = e ^ d ^ b;
        if (c > d)
            b++;
    }
    return a + b + c + d + e;
}

int main(void)
{
    known();
    known_own();
    known_dead();
    printf("%u %u %u %llu\n", tail(3), tail(4), deep(6, caller), wide(123456789012345ull, 99));
    return 0;
}
