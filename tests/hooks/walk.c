/* Loads and stores of all sizes in one array, between two hints: near ones, far ones, and those of a
   loop that goes around.  Nothing else is accessed there, and the array stands at a multiple of its
   size, so caches see the same whatever the program is linked to. */
#include <inst/annotate.h>
#include <stdint.h>

enum { SIZE = 65536, STEPS = 2000, ROUND = 24 * 1024 };

static union room {
    volatile uint8_t bytes[SIZE];
    volatile uint16_t halves[SIZE / 2];
    volatile uint32_t words[SIZE / 4];
    volatile uint64_t doubles[SIZE / 8];
} room __attribute__((aligned(SIZE)));

__attribute__((noinline)) static uint32_t walk(union room *room, uint32_t random)
{
    INST_HINT("measure_start", 0, 0);
    for (uint32_t step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        uint32_t far = random >> 16;
        room->bytes[far] = room->bytes[far & 1023];
        room->words[far >> 5 & 511] += far;
        room->halves[step * 48 % ROUND / 2]++;
        room->doubles[far >> 3] = far;
    }
    INST_HINT("measure_stop", 0, 0);
    return random; /* behind the hint, so that registers are restored from the stack behind it */
}

int main(void)
{
    return walk(&room, 1) == 0;
}
