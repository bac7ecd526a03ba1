/* The instruction that calls a function by its address. */
#ifndef INST_CALL_H
#define INST_CALL_H

#include <stdint.h>

/* Instructions from a call to where it returns. */
enum { INST_CALL_WORDS = 2 };

static inline int inst_is_call(uint32_t word)
{
    return word >> 30 == 1;
}

static inline uintptr_t inst_call_target(const uint32_t *call)
{
    return (uintptr_t)call + (uintptr_t)(intptr_t)(int32_t)(*call << 2);
}

/* Return where a function's code is: C points at it. */
static inline const void *inst_code_of(const void *function)
{
    return function;
}

#endif
