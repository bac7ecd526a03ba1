/* How an instruction accesses memory, by the generated tables. */
#ifndef INST_LOOKUP_H
#define INST_LOOKUP_H

#include "decode.h"

#include <accesses.h>
#include <prefix.h>

/* Return how a word without a prefix accesses memory, or 0. */
static inline const struct access *access_of(uint32_t word)
{
    enum { EXTENDED = 31 };
    unsigned primary = word >> 26;
    unsigned row = places[primary == EXTENDED ? word >> 1 & 1023 : 1024 + (primary << 4 | (word & 15))];
    return row ? &rows[row] : 0;
}

#ifdef __powerpc64__
/* Return the word there if it is the prefix of the next one, else 0. */
static inline uint32_t prefix_at(const uint32_t *at)
{
    return inst_is_prefix(*at) ? *at : 0;
}

/* Return how a word accesses memory, or 0; `prefix` is the word before it if that is one, else 0. */
static inline const struct access *prefixed_access_of(uint32_t prefix, uint32_t word)
{
    enum { UNPREFIXED = 2 };
    if (!prefix || (prefix >> 24 & 3) == UNPREFIXED)
        return access_of(word);
    unsigned row = prefixed_places[word >> 26];
    return row ? &rows[row] : 0;
}

/* Return how the instruction whose last word is there accesses memory, or 0. */
static inline const struct access *access_at(const uint32_t *last)
{
    return prefixed_access_of(prefix_at(last - 1), *last);
}
#else
#pragma GCC visibility push(hidden)
/* Whether the machine has SPE: its operations are AltiVec's on others. */
int inst_has_spe(void);
#pragma GCC visibility pop

static inline const struct access *spe_access_of(uint32_t word)
{
    unsigned place = (word >> 1 & 1023) - SPE_FIRST / 2;
    unsigned row = place < sizeof spe_places && inst_has_spe() ? spe_places[place] : 0;
    return row ? &rows[row] : 0;
}

static inline const struct access *access_at(const uint32_t *at)
{
    enum { SPE = 4 };
    return *at >> 26 == SPE ? spe_access_of(*at) : access_of(*at);
}
#endif

#endif
