/* What orders accesses, and how code goes on, by the words of instructions. */
#include "lookup.h"

#include <opcodes.h>

/* Whether a store after it is ordered after what its thread did before: lwsync, sync. */
static inline int orders_stores(uint32_t word)
{
    return (word & MASK_LWSYNC) == WORD_LWSYNC || (word & MASK_SYNC) == WORD_SYNC;
}

static inline int is_barrier(uint32_t word)
{
    return orders_stores(word) || (word & MASK_ISYNC) == WORD_ISYNC;
}

static inline int goes_on(const uint32_t *at, const uint32_t **target)
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

/* Whether code before an instruction need not be what ran before it: branches but the call of a probe,
   and data. */
static inline int ends_search(uint32_t word)
{
    enum { FIRST_BRANCH = 16, BRANCH = 18, LAST_BRANCH = 19 };
    uint32_t primary = word >> 26;
    int call = primary == BRANCH && word & 1;
    return (primary >= FIRST_BRANCH && primary <= LAST_BRANCH && !call) || primary == 0;
}

static inline int stores(const uint32_t *at)
{
    const struct access *access = access_at(at);
    return access && access->stores && !inst_uses_stack(*at);
}
