/* The instruction that calls a function by its address. */
#ifndef INST_CALL_H
#define INST_CALL_H

#include <stdint.h>

/* Instructions from a call to where it returns. */
enum { INST_CALL_WORDS = 1 };

static inline int inst_is_call(uint32_t word)
{
    return (word & 0xfc000003) == 0x48000001;
}

static inline uintptr_t inst_call_target(const uint32_t *call)
{
    int32_t distance = (int32_t)(*call << 6) >> 6 & ~3;
    return (uintptr_t)call + (uintptr_t)(intptr_t)distance;
}

/* Return where a function's code is; by ELFv1 C points at its descriptor. */
static inline const void *inst_code_of(const void *function)
{
#if defined __powerpc64__ && _CALL_ELF != 2
    return *(const void *const *)function;
#else
    return function;
#endif
}

#endif
