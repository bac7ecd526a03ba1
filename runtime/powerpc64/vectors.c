/* Registers that C cannot name, read without changing any. */
#include "vectors.h"

#include "../powerpc/decode.h"
#include "../powerpc/numbered.h"

extern int32_t inst_has_vectors __attribute__((visibility("hidden")));

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

void inst_vector_register(unsigned number, uint64_t *halves)
{
    uint64_t room[2] = { 0, 0 };
    if (INST_LITTLE || inst_has_vectors > 0)
        vsx_register(number, room);
    else if (number < 32)
        room[0] = float_register(number);
    else                /* a machine with AltiVec alone, which is big-endian */
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
