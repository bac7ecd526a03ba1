/* Threads of the program that begin and end. */
#include "process.h"
#include "segments.h"
#include <inst/thread_order.h>

#pragma weak threadhook
#pragma weak threadendhook

/* Number of this thread; 0: the first one, or one whose creation was not observed. */
static __thread uint32_t number;

/* Return where a function's code is, of which a pointer in C leads to a descriptor. */
static inst_address code_of(void *function)
{
#if defined __powerpc64__ && _CALL_ELF != 2
    return *(const inst_address *)function;
#else
    return (inst_address)function;
#endif
}

void inst_thread_begun(uint32_t own, void *start)
{
    number = own;
    if (!threadhook)
        return;
    struct inst_running before = inst_begin_hook(INST_THREADHOOK);
    threadhook(own, code_of(start));
    inst_end_hook(before);
}

void inst_thread_ended(void)
{
    if (INST_RECORDS)
        inst_segments_thread_ended();
    if (!threadendhook)
        return;
    struct inst_running before = inst_begin_hook(INST_THREADENDHOOK);
    threadendhook(number);
    inst_end_hook(before);
}
