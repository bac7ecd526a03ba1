/* Registers that C cannot name, read without changing any. */
#include "vectors.h"

#include "decode.h"

extern int32_t inst_has_vectors __attribute__((visibility("hidden")));

#define EACH_OF_32(CASE)                                                                    \
    CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7)                         \
    CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)                   \
    CASE(16) CASE(17) CASE(18) CASE(19) CASE(20) CASE(21) CASE(22) CASE(23)                 \
    CASE(24) CASE(25) CASE(26) CASE(27) CASE(28) CASE(29) CASE(30) CASE(31)

static void float_register(unsigned number, uint64_t *halves)
{
    switch (number) {
#define CASE(N)                                                                             \
    case N:                                                                                 \
        __asm__ __volatile__("stfd " #N ", 0(%0)" : : "b"(halves) : "memory");              \
        break;
        EACH_OF_32(CASE)
#undef CASE
    }
}

static void vsx_register(unsigned number, uint64_t *halves)
{
    switch (number) {
#define CASE(N)                                                                             \
    case N:                                                                                 \
        __asm__ __volatile__(".machine push\n\t.machine power8\n\tstxvd2x " #N ", 0, %0\n\t" \
                             ".machine pop" : : "r"(halves) : "memory");                    \
        break;
        EACH_OF_32(CASE)
#undef CASE
#define CASE(N)                                                                             \
    case 32 + N:                                                                            \
        __asm__ __volatile__(".machine push\n\t.machine power8\n\tstxvd2x 32+" #N ", 0, %0\n\t" \
                             ".machine pop" : : "r"(halves) : "memory");                    \
        break;
        EACH_OF_32(CASE)
#undef CASE
    }
}

/* For machines with vectors only, which are all big-endian.
 *
 * Assembly by hand may leave the stack at any multiple of 8, whatever this compiler thinks
 * (hence the asm), and stvx goes to the next lower multiple of 16. */
static void vector_register(unsigned number, uint64_t *found)
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
    found[0] = halves[0];
    found[1] = halves[1];
}

void inst_vector_register(unsigned number, uint64_t *halves)
{
    uint64_t room[2] = { 0, 0 };
    if (INST_LITTLE || inst_has_vectors > 0)
        vsx_register(number, room);
    else if (number < 32)
        float_register(number, room);
    else
        vector_register(number - 32, room);
    halves[0] = room[0];
    halves[1] = room[1];
}

/* Swap parts of so many bits among those of twice as many. */
static uint64_t swapped(uint64_t value, unsigned bits, uint64_t low_parts)
{
    return (value & low_parts) << bits | (value >> bits & low_parts);
}

/* Convert a number whose first element in memory is its highest to one whose first is its lowest. */
static uint64_t turned(uint64_t half, unsigned order)
{
    if (order == WORDS || order == HALFWORDS || order == BYTES)
        half = half << 32 | half >> 32;
    if (order == HALFWORDS || order == BYTES)
        half = swapped(half, 16, 0x0000ffff0000ffff);
    if (order == BYTES)
        half = swapped(half, 8, 0x00ff00ff00ff00ff);
    return half;
}

void inst_vector_image(unsigned number, unsigned order, uint64_t *halves)
{
    inst_vector_register(number, halves);
    if (!INST_LITTLE)
        return;
    if (order == WHOLE) {
        uint64_t first = halves[1];
        halves[1] = halves[0];
        halves[0] = first;
    }
    halves[0] = turned(halves[0], order);
    halves[1] = turned(halves[1], order);
}

uint32_t inst_single(uint64_t widened)
{
    enum { LEAST_NORMAL = 897, LEAST = 874 };
    unsigned exponent = widened >> 52 & 2047;
    uint32_t high = widened >> 32 & 0xc0000000, sign = high & 0x80000000;
    if (exponent >= LEAST_NORMAL || !(widened << 1))
        return high | (widened >> 29 & 0x3fffffff);
    if (exponent < LEAST)
        return sign;
    uint64_t fraction = (widened & 0xfffffffffffff) | 1ull << 52;
    return sign | (uint32_t)(fraction >> (29 + LEAST_NORMAL - exponent));
}
