/* Which stores are ordered after their thread's earlier accesses. */
#ifndef INST_ORDER_H
#define INST_ORDER_H

#include "instead.h"

enum { ORDER_REACH = 32 };

/* Return whether stbar or membar comes before a store, with no branch and no other store
   between except on the stack; the store's own probe is skipped.  */
static int inst_is_release(const uint32_t *store)
{
    /* How gcc -mcpu=v8 makes a full barrier: ldstub [%sp-1] to any register. */
    enum { STACK = 14, JUMP = 0x38 };
    const uint32_t exchange = 0xc06bbfff;
    for (const uint32_t *at = store - 1; at >= store - ORDER_REACH; at--) {
        uint32_t word = *at, operation = word >> 30, third = word >> 19 & 63;
        if ((word & 0xffffdf80) == 0x8143c000 || (word & 0xc1ffffff) == exchange)
            return 1;
        int branch = operation == 0 && (word >> 22 & 7) != 4 && word != PAST_ONE;
        int stores = operation == 3 && third & 4 && (word >> 14 & 31) != STACK;
        if (branch || stores || (operation == 2 && third == JUMP))
            return 0;
    }
    return 0;
}

#endif
