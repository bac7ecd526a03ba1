/* What a signal interrupted: program counter, stack, and from there the callers. */
#ifndef INST_CONTEXT_H
#define INST_CONTEXT_H

#include <stdint.h>

#include <inst/rst.h>

#include <call.h>

/* A frame beyond this counts as the end of the stack. */
enum { INST_LARGEST_FRAME = 1 << 20 };

/* A register: its type and number in REGVAL records (docs/formats/rst.md), and what it holds. */
struct inst_value {
    unsigned char type, number;
    uint64_t value;
};

/* The registers of code that a signal interrupted, as a handler finds them. */
struct inst_code {
    uintptr_t *registers;
    uintptr_t frame;            /* of the function that the kernel has called */
    const uint32_t *floats;     /* 0: they are not known */
};

/* An architecture's interrupted.h defines

       struct inst_context           pc, link and stack, of a function; what else leads to its caller
       inst_interrupted_registers    where a handler finds the registers that were interrupted,
       INST_PC                       and the program counter among them
       inst_interrupted              the function that was interrupted
       inst_to_caller                goes on to its caller
       inst_interrupted_floats       where the registers of floating point are
       inst_interrupted_value        each of the registers, INST_INTEGERS without those of floating
                                     point, INST_VALUES with them */
#include <interrupted.h>

#endif
