/* System calls as they are reported to hooks. */
#ifndef INST_CALLS_H
#define INST_CALLS_H

#include <inst/runtime.h>
#ifdef INST_BARE
enum { INST_ARGUMENTS = 6 };
#else
#include <inst/wrap.h>
#endif

#pragma GCC visibility push(hidden)

/* The functions of wrap.h for an instruction: its two halves share only the thread and
   its stack.  The result of a call that failed is the number of the error. */
void inst_call_instruction(uintptr_t stack, uint32_t number, const long *arguments);
void inst_call_returned(uintptr_t stack, long result, int failed);

#ifndef INST_BARE
/* More of a thread's state: not among the variables of a shared object, for which there is little room
   where it is loaded by dlopen. */
struct inst_extra {
    int is_mapped;
    struct {                    /* annotate.c */
        inst_address locks[32];
        unsigned count;
    } seen;
    void *openmp;               /* what the thread executes: wrap/openmp.c */
    struct inst_call calls[8];  /* that the thread is in: several where handlers make calls */
};
struct inst_extra *inst_extra(void);
void inst_forget_extra(void);

/* Return whether a byte of the program's memory may be read. */
int inst_is_readable(const void *address, size_t size);
#endif

#pragma GCC visibility pop

#endif
