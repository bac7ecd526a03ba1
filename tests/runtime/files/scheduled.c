/* A hook that reads what it has just stored: gcc puts `ori 2,2,0` between the two for POWER8. */
#include "inst/hooks.h"

static unsigned counts[16];

void ldwhook(inst_address address)
{
    volatile unsigned left = (address & 7) + 1;
    do {
        left = left - 1;
        counts[left & 15]++;
    } while (left);
}
