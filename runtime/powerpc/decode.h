/* How words of PowerPC code access memory, by the tables of accesses.h. */
#ifndef INST_DECODE_H
#define INST_DECODE_H

#include <stdint.h>

/* Where the value is, and in which order. */
enum {
    GENERAL,            /* in a general register, in its low bytes */
    REVERSED,           /* the same, byte-reversed in memory */
    WIDE,               /* in both halves of a general register of SPE */
    WIDE_EVEN,          /* in the upper halfword of each, of two bytes in that of the lower half */
    WIDE_ODD,           /* in the lower halfword of each, the same */
    WIDE_UPPER,         /* in one half */
    WIDE_LOWER,
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
    uint8_t size, stores, value, form, bank;
};

/* Whether the address of an access is computed from r1. A load that overwrites a register of its own
   address, r1 being the other or the same, is reported before it runs: its value lies on the thread's
   own stack, where the decoder reads it. */
static inline int inst_uses_stack(uint32_t word)
{
    enum { INDEXED = 31 };
    return (word >> 16 & 31) == 1 || (word >> 26 == INDEXED && (word >> 11 & 31) == 1);
}

static inline uint64_t inst_memory_at(uintptr_t address, unsigned size)
{
    switch (size) {
    case 1:
        return *(const uint8_t *)address;
    case 2:
        return *(const uint16_t *)address;
    case 4:
        return *(const uint32_t *)address;
    }
    return *(const uint64_t *)address;
}

#endif
