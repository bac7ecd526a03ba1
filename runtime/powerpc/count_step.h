/* The step of the software instruction counter, in assembly: see countdown.h. */
#ifndef INST_COUNT_STEP_H
#define INST_COUNT_STEP_H

#define INST_COUNT_REGISTER "r10"
#define INST_COUNT_STEP(LOADED, STORED) \
    "lwz%U1%X1 %0, %1\n\t" LOADED "\n\taddi %0, %0, -1\n\tstw%U1%X1 %0, %1\n\t" STORED
enum { INST_COUNT_IN = 10 };    /* where that register is among the interrupted */

#endif
