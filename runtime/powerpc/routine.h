/* What begins and ends each routine of `preserve.h`, which a hook calls as a function of the library. */
#ifndef INST_ROUTINE_H
#define INST_ROUTINE_H

#define INST_OUT_OF_LINE(NAME) extern __typeof__(NAME) NAME __attribute__((visibility("hidden")))

/* The glue's maker reads in the comment which registers calls of it change. */
#define INST_ROUTINE(name)                                              \
    ".section .text.inst,\"ax\"\n"                                      \
    "# inst: " name " clobbers only r3 lr\n"                            \
    "\t.align 2\n\t.hidden " name "\n\t.globl " name "\n"               \
    "\t.type " name ", @function\n" name ":\n"                         \
    "\t.cfi_startproc\n"
#define INST_ROUTINE_END(name)                                          \
    "\t.cfi_endproc\n\t.size " name ", .-" name "\n\t.previous"

#endif
