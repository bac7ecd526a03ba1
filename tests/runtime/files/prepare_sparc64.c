/* Contents that the state registers can hold. */
#include <stdint.h>

extern uint32_t before[];
enum { Y = 128, CODES = 130, STATE = 132, SPACE = 134, FLOATS = 64 };

void prepare(int round)
{
    (void)round;
    before[Y] = before[CODES] = before[SPACE] = 0;
    before[CODES + 1] &= 0xff;
    before[SPACE + 1] &= 0xff;
    before[STATE] &= 0x3f;              /* fcc1 to fcc3 */
    before[STATE + 1] &= 0xc00;         /* fcc0; no traps, nearest */
    for (int n = FLOATS; n < 2 * FLOATS; n++)   /* no signalling numbers on the way */
        before[n] &= 0xff7fffff;
}
