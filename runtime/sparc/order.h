/* Which stores are ordered after their thread's earlier accesses. */
#ifndef INST_ORDER_H
#define INST_ORDER_H

#include "instead.h"

enum { ORDER_REACH = 32 };

/* How gcc -mcpu=v8 makes a full barrier: ldstub [%sp-1] to any register. */
static inline int inst_is_barrier(const uint32_t *at)
{
    return (*at & 0xffffdf80) == 0x8143c000 || (*at & 0xc1ffffff) == 0xc06bbfff;
}

/* Return whether control goes on behind an instruction; `target` is set for a branch. */
static inline int inst_goes_on(const uint32_t *at, const uint32_t **target)
{
    enum { ALWAYS_TAKEN = 8, LINK = 15, JUMP = 0x38, RETURN = 0x39 };
    uint32_t word = *at, operation = word >> 30, third = word >> 19 & 63, kind = word >> 22 & 7;
    if (operation == 2 && (third == JUMP || third == RETURN))
        return third == JUMP && (word >> 25 & 31) == LINK;
    if (operation || kind == 0 || kind == 4 || word == PAST_ONE)
        return 1;
    int32_t words = (int32_t)(word << 10) >> 10;
    if (kind == 1 || kind == 5)         /* the predicted branches of V9: 19 bits */
        words = (int32_t)(word << 13) >> 13;
    if (kind == 3)                      /* those on a register: 16 bits in two parts */
        words = (int32_t)((word >> 20 & 3) << 30 | (word & 0x3fff) << 16) >> 16;
    *target = at + words;
    return kind == 3 || (word >> 25 & 15) != ALWAYS_TAKEN;
}

/* Return whether an instruction stores elsewhere than on the stack. */
static inline int inst_stores(const uint32_t *at)
{
    enum { STACK = 14, FRAME = 30 };
    unsigned base = *at >> 14 & 31;
    return *at >> 30 == 3 && *at >> 19 & 4 && base != STACK && base != FRAME;
}

/* Return whether stbar or membar comes before a store, with no branch and no other store
   between except on the stack; the store's own probe is skipped.  */
static int inst_is_release(const uint32_t *store)
{
    enum { STACK = 14, JUMP = 0x38 };
    for (const uint32_t *at = store - 1; at >= store - ORDER_REACH; at--) {
        uint32_t word = *at, operation = word >> 30, third = word >> 19 & 63;
        if (inst_is_barrier(at))
            return 1;
        int branch = operation == 0 && (word >> 22 & 7) != 4 && word != PAST_ONE;
        int stores = operation == 3 && third & 4 && (word >> 14 & 31) != STACK;
        if (branch || stores || (operation == 2 && third == JUMP))
            return 0;
    }
    return 0;
}

#endif
