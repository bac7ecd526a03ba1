/* Which stores are ordered after their thread's earlier accesses. */
#ifndef INST_ORDER_H
#define INST_ORDER_H

#include <stdint.h>

enum { ORDER_REACH = 32 };

static inline int inst_is_barrier(const uint32_t *at)
{
    return *at == 0x7c2004ac || *at == 0x7c0004ac || *at == 0x4c00012c;     /* lwsync, sync, isync */
}

/* Return whether control goes on behind an instruction; `target` is set for a branch. */
static inline int inst_goes_on(const uint32_t *at, const uint32_t **target)
{
    enum { CONDITIONAL = 16, BRANCH = 18, INDIRECT = 19, TO_LINK = 16, TO_COUNT = 528, ALWAYS_TAKEN = 20 };
    uint32_t word = *at, primary = word >> 26, extended = word >> 1 & 1023;
    int always = (word >> 21 & ALWAYS_TAKEN) == ALWAYS_TAKEN;
    if (word & 1 && (primary == BRANCH || primary == CONDITIONAL || primary == INDIRECT))
        return 1;
    if (primary == INDIRECT && (extended == TO_LINK || extended == TO_COUNT))
        return !always;
    if (primary == CONDITIONAL)
        *target = at + (int16_t)(word & 0xfffc) / 4;
    if (primary == BRANCH)
        *target = at + ((int32_t)(word << 6) >> 8);
    return primary == CONDITIONAL ? !always : primary != BRANCH;
}

/* Return whether an instruction stores elsewhere than on the stack: the usual forms. */
static inline int inst_stores(const uint32_t *at)
{
    uint32_t word = *at, primary = word >> 26, extended = word >> 1 & 1023;
    if (primary == 31)
        return ((extended & 30) == 22 && extended & 128) || (extended & ~32u) == 149;
    int stores = (primary >= 32 && primary < 56 && primary & 4) || (primary == 62 && !(word & 2));
    return stores && (word >> 16 & 31) != 1;
}

/* Return whether lwsync or sync comes before a store, with no branch and no other store
   between except on the stack; the store's own probe is skipped.  */
static int inst_is_release(const uint32_t *store)
{
    for (const uint32_t *at = store - 1; at >= store - ORDER_REACH; at--) {
        uint32_t word = *at, primary = word >> 26, extended = word >> 1 & 1023;
        if (word == 0x7c2004ac || word == 0x7c0004ac)
            return 1;
        int call = primary == 18 && word & 1;
        int stores = primary >= 32 && primary < 56 && primary & 4 && (word >> 16 & 31) != 1;
        stores |= primary == 31 && (extended & 30) == 22 && extended & 128;
        stores |= primary == 31 && (extended & ~32u) == 149;            /* stdx, stdux */
        stores |= primary == 62 && !(word & 2) && (word >> 16 & 31) != 1;   /* std, stdu */
        if (stores || primary == 47 || (primary >= 16 && primary <= 19 && !call) || primary == 0)
            return 0;
    }
    return 0;
}

#endif
