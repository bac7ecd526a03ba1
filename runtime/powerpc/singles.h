/* Numbers of single precision in floating-point registers, which hold them as doubles (Power ISA 3.1, book
   I, sections 4.6.2 and 4.6.3). */
#ifndef INST_SINGLES_H
#define INST_SINGLES_H

#include <stdint.h>

/* Return the 4 bytes that a floating-point register with this content stores as a single. What is too
   small is undefined: it is 0 with its sign here, as in QEMU. */
static inline uint32_t single_of(uint64_t widened)
{
    enum { LEAST_NORMAL = 897, LEAST = 874 };
    unsigned exponent = widened >> 52 & 2047;
    uint32_t high = widened >> 32 & 0xc0000000, sign = high & 0x80000000;
    if (exponent >= LEAST_NORMAL || !(widened << 1))
        return high | (widened >> 29 & 0x3fffffff);
    if (exponent < LEAST)
        return sign;
    uint64_t fraction = (widened & 0xfffffffffffff) | 1ull << 52;
    return sign | (uint32_t)(fraction >> (29 + LEAST_NORMAL - exponent));
}

/* Return the register's eight bytes for four bytes of memory. */
static inline uint64_t double_of(uint32_t single)
{
    uint32_t sign = single & 0x80000000, exponent = single >> 23 & 255;
    uint32_t fraction = single & 0x7fffff;
    if (exponent == 255) {
        exponent = 2047;
    } else if (exponent) {
        exponent += 896;
    } else if (fraction) {
        for (exponent = 897; !(fraction & 0x800000); exponent--)
            fraction <<= 1;
        fraction &= 0x7fffff;
    }
    return (uint64_t)(sign | exponent << 20 | fraction >> 3) << 32 | fraction << 29;
}

#endif
