/* Threads of the program that begin and end. */
#include "calls.h"
#include "process.h"
#include "segments.h"
#include <call.h>
#include <inst/thread_order.h>

#pragma weak threadhook
#pragma weak threadendhook

/* Number of this thread; 0: the first one, or one whose creation was not observed. */
static __thread uint32_t number;

/* Return 3, 5, 7 ...  With a lock: not every target has an atomic addition. */
uintptr_t inst_next_token(void)
{
    uint32_t mask[2];
    inst_join();
    inst_block_signals(mask);
    inst_lock_process();
    uintptr_t token = inst_recorder.last_token += 2;
    inst_unlock_process();
    inst_unblock_signals(mask);
    return token;
}

void inst_thread_begun(uint32_t own, void *start)
{
    number = own;
    if (!threadhook)
        return;
    struct inst_running before = inst_begin_hook(INST_THREADHOOK);
    threadhook(own, (inst_address)inst_code_of(start));
    inst_end_hook(before);
}

void inst_thread_ended(void)
{
    if (INST_RECORDS)
        inst_segments_thread_ended();
    if (threadendhook) {
        struct inst_running before = inst_begin_hook(INST_THREADENDHOOK);
        threadendhook(number);
        inst_end_hook(before);
    }
    inst_forget_extra();
}
