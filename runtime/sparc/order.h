/* What orders accesses, and how code goes on, by the words of instructions. */
#include "instead.h"

#include <accesses.h>

/* stbar and membar; gcc -mcpu=v8 makes a full barrier as ldstub [%sp-1] to any register. */
static inline int is_barrier(uint32_t word)
{
    return (word & MASK_STBAR) == WORD_STBAR || (word & MASK_MEMBAR) == WORD_MEMBAR
           || (word & MASK_STACK_LDSTUB) == WORD_STACK_LDSTUB;
}

/* Whether a store after it is ordered after what its thread did before. */
static inline int orders_stores(uint32_t word)
{
    return is_barrier(word);
}

static inline int goes_on(const uint32_t *at, const uint32_t **target)
{
    enum { ALWAYS_TAKEN = 8, LINK = 15, JUMP = 0x38, RETURN = 0x39 };
    uint32_t word = *at, operation = word >> 30, third = word >> 19 & 63, kind = word >> 22 & 7;
    if (operation == 2 && (third == JUMP || third == RETURN))
        return third == JUMP && (word >> 25 & 31) == LINK;
    if (operation || kind == 0 || kind == 4 || word == WORD_PAST_ONE)
        return 1;
    int32_t words = (int32_t)(word << 10) >> 10;
    if (kind == 1 || kind == 5)         /* the predicted branches of V9: 19 bits */
        words = (int32_t)(word << 13) >> 13;
    if (kind == 3)                      /* those on a register: 16 bits in two parts */
        words = (int32_t)((word >> 20 & 3) << 30 | (word & 0x3fff) << 16) >> 16;
    *target = at + words;
    return kind == 3 || (word >> 25 & 15) != ALWAYS_TAKEN;
}

/* Whether code before an instruction need not be what ran before it: branches and jumps, and data. */
static inline int ends_search(uint32_t word)
{
    enum { SETHI = 4, JUMP = 0x38 };
    uint32_t operation = word >> 30;
    int branch = operation == 0 && (word >> 22 & 7) != SETHI && word != WORD_PAST_ONE;
    return branch || (operation == 2 && (word >> 19 & 63) == JUMP);
}

static inline int stores(const uint32_t *at)
{
    enum { STACK = 14, FRAME = 30 };
    unsigned base = *at >> 14 & 31;
    return *at >> 30 == 3 && accesses[*at >> 19 & 63].stores && base != STACK && base != FRAME;
}
