/* SHA-1 of a few messages: rotates, schedules, many live words. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct state {
    uint32_t h[5];
    uint64_t length;
    unsigned char block[64];
    int used;
};

static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

static void compress(struct state *s)
{
    uint32_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16
               | (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
    for (int i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t f, k;
        if (i < 20)
            f = (b & c) | (~b & d), k = 0x5a827999;
        else if (i < 40)
            f = b ^ c ^ d, k = 0x6ed9eba1;
        else if (i < 60)
            f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
        else
            f = b ^ c ^ d, k = 0xca62c1d6;
        uint32_t t = rotate(a, 5) + f + e + k + w[i];
        e = d, d = c, c = rotate(b, 30), b = a, a = t;
    }
    s->h[0] += a, s->h[1] += b, s->h[2] += c, s->h[3] += d, s->h[4] += e;
}

static void feed(struct state *s, unsigned char byte)
{
    s->block[s->used++] = byte;
    if (s->used == 64) {
        compress(s);
        s->used = 0;
    }
}

static void digest(const char *message)
{
    struct state s = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, 0, {0}, 0};
    for (; *message; message++, s.length += 8)
        feed(&s, (unsigned char)*message);
    uint64_t length = s.length;
    feed(&s, 0x80);
    while (s.used != 56)
        feed(&s, 0);
    for (int shift = 56; shift >= 0; shift -= 8)
        feed(&s, (unsigned char)(length >> shift));
    for (int i = 0; i < 5; i++)
        printf("%08x", (unsigned)s.h[i]);
    printf("\n");
}

int main(void)
{
    digest("abc");
    digest("");
    digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
    return 0;
}
