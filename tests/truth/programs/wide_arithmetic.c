/* 64-bit arithmetic on 32-bit registers: carries, shifts, products, quotients. */
#include <stdio.h>

static unsigned long long numbers[16];
static long long signed_numbers[16];

static unsigned long long power(unsigned long long base, unsigned exponent, unsigned long long modulus)
{
    unsigned long long result = 1;
    for (base %= modulus; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

int main(void)
{
    unsigned long long state = 0x0123456789abcdefULL, sum = 0;
    long long difference = 0;
    for (int i = 0; i < 16; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        numbers[i] = state;
        signed_numbers[i] = (long long)(state << (i & 7)) >> (i + 3);
    }
    for (int i = 0; i < 16; i++) {
        sum += numbers[i] / (numbers[15 - i] >> 40 | 1);
        sum ^= numbers[i] % 1000003;
        difference -= signed_numbers[i] / (i * 12345 + 1);
        difference += signed_numbers[i] % -977;
        if (signed_numbers[i] < signed_numbers[15 - i])
            difference = -difference;
    }
    printf("%llu %lld %llu\n", sum, difference, power(3, 1000, 4294967291ULL));
    return 0;
}
