#include <stdint.h>

extern uint32_t before[];
enum { CONDITION = 32, EXCEPTION = 34, KEPT_FIELDS = 35, STATE = 100 };

void prepare(int round)
{
    (void)round;
    before[KEPT_FIELDS] = before[CONDITION] & 0x0ffff000;
    before[EXCEPTION] &= 0xe000007f;
    before[STATE] = 0;
    before[STATE + 1] &= 0x00000002;    /* rounding only: no enabled exceptions */
    for (int n = 36; n < 100; n += 2)   /* numbers, so that nothing is quieted */
        before[n] &= 0xbfffffff;
}
