/* Signed and unsigned bytes and halves: extension on load, wrap on store. */
#include <stdio.h>

static signed char bytes[32];
static unsigned char unsigned_bytes[32];
static short halves[32];
static unsigned short unsigned_halves[32];
static _Bool flags[8];

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 32; i++) {
        bytes[i] = (signed char)(i * 11);
        unsigned_bytes[i] = (unsigned char)(i * 11);
        halves[i] = (short)(i * 3001);
        unsigned_halves[i] = (unsigned short)(i * 3001);
        flags[i & 7] ^= i % 3 == 0;
    }
    for (int i = 0; i < 32; i++) {
        sum += bytes[i] - unsigned_bytes[31 - i] + halves[i] / 3 - unsigned_halves[i] % 7;
        bytes[i] -= 100;
        unsigned_bytes[i] += 200;
        halves[i] >>= 2;
        unsigned_halves[i] <<= 3;
        if (bytes[i] < 0 && flags[i & 7])
            sum ^= bytes[i] * 16;
    }
    for (int i = 0; i < 32; i++)
        sum = sum * 7 % 1000003 + bytes[i] + unsigned_bytes[i] + halves[i] + unsigned_halves[i];
    printf("%ld\n", sum);
    return 0;
}
