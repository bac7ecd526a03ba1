/* Bit operations: counting, reversing, sieving in a bit set, Gray codes. */
#include <stdint.h>
#include <stdio.h>

static uint32_t sieve[32];
static uint8_t reversed[256];

static int population(uint32_t x)
{
    int count = 0;
    for (; x; x &= x - 1)
        count++;
    return count;
}

int main(void)
{
    int primes = 0;
    uint64_t mix = 0;
    for (int i = 2; i < 1024; i++)
        if (!(sieve[i >> 5] >> (i & 31) & 1)) {
            primes++;
            for (int j = i * i; j < 1024; j += i)
                sieve[j >> 5] |= 1u << (j & 31);
        }
    for (int i = 0; i < 256; i++)
        reversed[i] = (uint8_t)((reversed[i >> 1] >> 1) | (i & 1) << 7);
    for (int i = 0; i < 32; i++) {
        mix = mix << 3 ^ (uint64_t)population(sieve[i]) ^ (uint64_t)(sieve[i] ^ sieve[i] >> 1);
        mix ^= (uint64_t)reversed[i * 7] << 40;
        mix += (uint64_t)(__builtin_clz(sieve[i] | 1) + __builtin_ctz(sieve[i] | 1u << 31));
    }
    printf("%d %llu\n", primes, (unsigned long long)mix);
    return 0;
}
