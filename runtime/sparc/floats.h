/* Floating-point registers by their number, which is known only at run time. */
#ifndef INST_FLOATS_H
#define INST_FLOATS_H

#include <stdint.h>

#define INST_CASE(STORE, N)                                                         \
    case N:                                                                         \
        __asm__ __volatile__(STORE " %%f" #N ", [%0]" : : "r"(&bits) : "memory");   \
        break;
#define INST_FOUR(STORE, A, B, C, D) \
    INST_CASE(STORE, A) INST_CASE(STORE, B) INST_CASE(STORE, C) INST_CASE(STORE, D)

/* Return a register of 32 bits, %f0 to %f31. */
static uint32_t inst_single(unsigned number)
{
    uint32_t bits = 0;
    switch (number) {
        INST_FOUR("st", 0, 1, 2, 3) INST_FOUR("st", 4, 5, 6, 7)
        INST_FOUR("st", 8, 9, 10, 11) INST_FOUR("st", 12, 13, 14, 15)
        INST_FOUR("st", 16, 17, 18, 19) INST_FOUR("st", 20, 21, 22, 23)
        INST_FOUR("st", 24, 25, 26, 27) INST_FOUR("st", 28, 29, 30, 31)
    }
    return bits;
}

#ifdef __arch64__
/* Return a register of 64 bits, %f0 to %f62. */
static uint64_t inst_double(unsigned number)
{
    uint64_t bits = 0;
    switch (number) {
        INST_FOUR("std", 0, 2, 4, 6) INST_FOUR("std", 8, 10, 12, 14)
        INST_FOUR("std", 16, 18, 20, 22) INST_FOUR("std", 24, 26, 28, 30)
        INST_FOUR("std", 32, 34, 36, 38) INST_FOUR("std", 40, 42, 44, 46)
        INST_FOUR("std", 48, 50, 52, 54) INST_FOUR("std", 56, 58, 60, 62)
    }
    return bits;
}
#endif

#endif
