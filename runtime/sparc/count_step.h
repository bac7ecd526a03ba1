/* The step of the software instruction counter, in assembly: see countdown.h. */
#ifndef INST_COUNT_STEP_H
#define INST_COUNT_STEP_H

#define INST_COUNT_REGISTER "g1"
#define INST_COUNT_STEP(LOADED, STORED) \
    "ld %1, %0\n\t" LOADED "\n\tadd %0, -1, %0\n\tst %0, %1\n\t" STORED
enum { INST_COUNT_IN = INST_REGISTERS + 1 };    /* where that register is among the interrupted */

#endif
