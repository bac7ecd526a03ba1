/* Leaf functions that want more registers than there are, integer and floating point. */
#include <stdio.h>

static unsigned words[48];
static double reals[48];

static __attribute__((noinline)) unsigned crowd(const unsigned *w)
{
    unsigned a = w[0], b = w[1], c = w[2], d = w[3], e = w[4], f = w[5], g = w[6], h = w[7];
    unsigned i = w[8], j = w[9], k = w[10], l = w[11], m = w[12], n = w[13], o = w[14], p = w[15];
    unsigned q = w[16], r = w[17], s = w[18], t = w[19], u = w[20], v = w[21], x = w[22], y = w[23];
    for (int round = 0; round < 12; round++) {
        a += b ^ c; b += d * e; c ^= f + w[round]; d -= g; e ^= h; f += i ^ j; g ^= k; h += l;
        i -= m ^ n; j += o; k ^= p; l += q ^ r; m ^= s; n += t; o -= u; p ^= v; q += x; r ^= y;
        s += a; t ^= b; u += c; v ^= d; x += e ^ w[23 - round]; y -= f;
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m ^ n ^ o ^ p ^ q ^ r ^ s ^ t ^ u ^ v ^ x ^ y;
}

static __attribute__((noinline)) double crowd_reals(const double *w, int rounds)
{
    double a = w[0], b = w[1], c = w[2], d = w[3], e = w[4], f = w[5], g = w[6], h = w[7], i = w[8];
    double j = w[9], k = w[10], l = w[11], m = w[12], n = w[13], o = w[14], p = w[15], q = w[16], r = w[17];
    while (rounds--) {
        a += b * c; b -= d; c += e * 0.5; d += f; e -= g * 0.25; f += h; g += i; h -= j * 0.125; i += k;
        j -= l; k += m * 0.5; l += n; m -= o; n += p * 0.25; o += q; p -= r; q += a * w[20]; r -= b;
    }
    return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r;
}

int main(void)
{
    unsigned state = 7, mixed = 0;
    for (int i = 0; i < 48; i++) {
        words[i] = state = state * 69069 + 1;
        reals[i] = (int)(state >> 20) / 4096.0 / 16;
    }
    for (int i = 0; i < 20; i++)
        mixed = mixed * 3 + crowd(words + i);
    printf("%u %.6f\n", mixed, crowd_reals(reals, 4));
    return 0;
}
