/* Floating-point and vector registers by number, read without changing any. */
#ifndef INST_NUMBERED_H
#define INST_NUMBERED_H

#include <stdint.h>

#define EACH_OF_32(CASE)                                                                    \
    CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7)                         \
    CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)                   \
    CASE(16) CASE(17) CASE(18) CASE(19) CASE(20) CASE(21) CASE(22) CASE(23)                 \
    CASE(24) CASE(25) CASE(26) CASE(27) CASE(28) CASE(29) CASE(30) CASE(31)

static inline uint64_t float_register(unsigned number)
{
    uint64_t bits = 0;
    switch (number) {
#define CASE(N)                                                                             \
    case N:                                                                                 \
        __asm__ __volatile__("stfd " #N ", 0(%0)" : : "b"(&bits) : "memory");               \
        break;
        EACH_OF_32(CASE)
#undef CASE
    }
    return bits;
}

/* A vector register as memory would hold it.
 *
 * Assembly by hand may leave the stack at any multiple of 4, whatever this compiler assumes
 * (hence the asm), and stvx goes to the next lower multiple of 16. */
static inline void vector_register(unsigned number, uint64_t *found)
{
    uint64_t room[4];
    uintptr_t place = (uintptr_t)room + 15;
    __asm__("" : "+r"(place));
    uint64_t *halves = (uint64_t *)(place & -(uintptr_t)16);
    switch (number) {
#define CASE(N)                                                                             \
    case N:                                                                                 \
        __asm__ __volatile__(".machine push\n\t.machine altivec\n\tstvx " #N ", 0, %0\n\t"  \
                             ".machine pop" : : "r"(halves) : "memory");                    \
        break;
        EACH_OF_32(CASE)
#undef CASE
    }
    uint64_t high = halves[0], low = halves[1];
    found[0] = high;
    found[1] = low;
}

#endif
