/* System calls as they are reported to hooks. */
#ifndef INST_CALLS_H
#define INST_CALLS_H

#include <inst/runtime.h>
#include <inst/wrap.h>

#pragma GCC visibility push(hidden)

/* The functions of wrap.h for an instruction: its two halves share only the thread and
   its stack.  The result of a call that failed is the number of the error. */
void inst_call_instruction(uintptr_t stack, uint32_t number, const long *arguments);
void inst_call_returned(uintptr_t stack, long result, int failed);

/* Return whether a byte of the program's memory may be read. */
int inst_is_readable(const void *address, size_t size);

#pragma GCC visibility pop

#endif
