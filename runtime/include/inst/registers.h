/* The program's general registers, as windowhook and inithook are passed them. */
#ifndef INST_REGISTERS_H
#define INST_REGISTERS_H

#include <stdint.h>

/* Bits of valid_special. */
enum {
    INST_VALID_PC = 1, INST_VALID_CONDITION = 2,
    INST_VALID_LINK = 4, INST_VALID_COUNT = 8, INST_VALID_EXCEPTION = 16,   /* PowerPC */
    INST_VALID_Y = 32                                                       /* SPARC */
};

/* A register is valid if its value here is the one at the program's instruction at pc.  An invalid one
   is 0 here: it was dead, and instrumentation has overwritten it. */
struct inst_registers {
    uint32_t valid_general;     /* bit n: general[n] */
    uint32_t valid_special;     /* INST_VALID_PC ...: the others */
    uintptr_t pc;               /* where the program continues */
#if defined __sparc__
    uintptr_t general[32];      /* %g0 to %g7, %o0 to %o7, %l0 to %l7, %i0 to %i7 */
    uintptr_t condition;        /* N Z V C in bits 3 to 0; 64-bit code: %ccr */
    uintptr_t y;
#elif defined __powerpc__
    uintptr_t general[32];      /* r0 to r31 */
    uintptr_t condition, link, count, exception;    /* cr, lr, ctr, xer */
#else
#error "inst/registers.h has no registers of this architecture"
#endif
};

#endif
