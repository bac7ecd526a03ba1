/* Which stores are ordered after their thread's earlier accesses. */
#ifndef INST_ORDER_H
#define INST_ORDER_H

#include <stdint.h>

enum { ORDER_REACH = 32 };

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
