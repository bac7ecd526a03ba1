/* Contents that the state registers can hold; words of the register file as doublewords. */
#include <stdint.h>

extern uint32_t before[];
enum { CONDITION = 160, EXCEPTION = 162, KEPT_FIELDS = 163, STATE = 164, RED_ZONE = 165 };

void prepare(int round)
{
    uint64_t *wide = (uint64_t *)(void *)before;
    (void)round;
    wide[CONDITION] &= 0xffffffff;
    wide[KEPT_FIELDS] = wide[CONDITION] & 0x0ffff000;
    wide[EXCEPTION] &= 0xe000007f;
    wide[STATE] &= 0x00000002;          /* rounding only: no enabled exceptions */
    for (int n = 0; n < 3; n++)         /* stored below the stack pointer */
        wide[RED_ZONE + n] = wide[29 + n];
}
