/* Operands that give each combination of the condition codes that exists. */
#include <stdint.h>

extern uint32_t before[];
enum { STATE = 66, FIRST = 68, SECOND = 69, SUBTRACTS = 70 };

static const uint32_t operands[13][3] = {
    { 1, 1, 1 },                    /* z */
    { 5, 5, 1 },                    /* z v, by tags */
    { 8, 4, 1 },                    /* nothing */
    { 9, 4, 1 },                    /* v */
    { 0x80000000, 0, 1 },           /* n */
    { 0x80000001, 0, 1 },           /* n v */
    { 4, 8, 1 },                    /* n c */
    { 5, 8, 1 },                    /* n v c */
    { 0xfffffffc, 4, 0 },           /* z c */
    { 0x80000000, 0x80000000, 0 },  /* z v c */
    { 0xfffffffc, 8, 0 },           /* c */
    { 0xffffffff, 8, 0 },           /* v c */
    { 0x7ffffffc, 4, 0 },           /* n v by overflow */
};

void prepare(int round)
{
    before[FIRST] = operands[round][0];
    before[SECOND] = operands[round][1];
    before[SUBTRACTS] = operands[round][2];
    before[STATE] &= 0x00000c00;   /* fcc; no traps, nearest */
    for (int n = 34; n < 66; n++)               /* no signalling numbers on the way */
        before[n] &= 0xff7fffff;
}
