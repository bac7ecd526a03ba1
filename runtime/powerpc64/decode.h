/* Which words of 64-bit PowerPC code access memory, and how. */
#ifndef INST_DECODE_H
#define INST_DECODE_H

#include <stdint.h>

enum { LOAD = 1, STORE = 2 };

/* Where the value lies, and in which order. */
enum {
    GENERAL,            /* in a general register, in its low bytes */
    REVERSED,           /* the same, byte-reversed in memory */
    FLOAT,              /* 8 bytes in a floating-point register, or 4 that it holds widened */
    FIRST,              /* in the low bytes of the first half of a VSX register */
    FIRST_HIGH,         /* in the high bytes of it */
    SECOND,             /* in the low bytes of its second half */
    WHOLE,              /* 16 bytes in memory's order */
    DOUBLEWORDS,        /* 16 bytes, by elements of 8, 4, 2 or 1 */
    WORDS,
    HALFWORDS,
    BYTES,
    ELEMENT             /* one element of a vector register, which the address chooses */
};

enum { SIMPLE, MULTIPLE, COUNTED, INDEXED_STRING, RESERVE, CONDITIONAL, BLOCK, PAIR, LENGTH };
/* Which registers a field of five bits counts: bit 5 comes from a table, or from the word. */
enum { LOW, HIGH, BY_BIT_0, BY_BIT_3, EVEN, BY_BIT_26 };

struct access {
    uint16_t operation;
    uint8_t size, what, value, form, bank;
};

/* Return how a word accesses memory, or 0; `prefix` is the word before it if that is one, else 0. */
const struct access *inst_access_of(uint32_t prefix, uint32_t word);

#endif
