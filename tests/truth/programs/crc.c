/* CRC-32 by table and Adler-32 over a generated text. */
#include <stdint.h>
#include <stdio.h>

static uint32_t table[256];
static unsigned char text[600];

static uint32_t crc(const unsigned char *at, int size)
{
    uint32_t value = 0xffffffff;
    while (size--)
        value = table[(value ^ *at++) & 255] ^ value >> 8;
    return ~value;
}

static uint32_t adler(const unsigned char *at, int size)
{
    uint32_t low = 1, high = 0;
    for (int i = 0; i < size; i++) {
        low = (low + at[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

int main(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? 0xedb88320 ^ value >> 1 : value >> 1;
        table[i] = value;
    }
    for (int i = 0; i < 600; i++)
        text[i] = (unsigned char)("etaoin shrdlu"[i * i % 13] + (i % 7 == 0));
    printf("%08x %08x %08x\n", (unsigned)crc(text, 600), (unsigned)adler(text, 600),
           (unsigned)crc((const unsigned char *)"123456789", 9));
    return 0;
}
