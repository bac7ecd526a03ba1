/* Accesses that run in place of the program's own: see in_place_of in inst/arch/sparc/rewrite/site.py. */
#ifndef INST_INSTEAD_H
#define INST_INSTEAD_H

#include <opcodes.h>
#include <stdint.h>

/* Return the instruction that runs, where `at` is the access that was found first. */
static inline const uint32_t *inst_runs(const uint32_t *at)
{
    return at[-1] == WORD_PAST_ONE ? at + 1 : at;
}

/* Return the program's own instruction, where `at` is the one that runs. */
static inline const uint32_t *inst_original(const uint32_t *at)
{
    return at[-2] == WORD_PAST_ONE && at[-1] >> 30 == 3 ? at - 1 : at;
}

#endif
