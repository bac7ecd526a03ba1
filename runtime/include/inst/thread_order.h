/* The order of threads that wrappers of thread functions report.  What its creator did comes before
   a new thread, under an odd number; all that a thread did comes before its join, under the odd
   number after the thread's own address.  Tokens in the program's own hints are addresses of objects,
   which are not odd. */
#ifndef INST_THREAD_ORDER_H
#define INST_THREAD_ORDER_H

#include <inst/hints.h>
#include <pthread.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* From now on the order of threads by system calls is recorded. */
void inst_threads_begin(void);

/* Return the next token of the process. */
uintptr_t inst_next_token(void);

/* In a thread, when it begins and when it ends: its number, and the program's start function. */
void inst_thread_begun(uint32_t number, void *start);
void inst_thread_ended(void);

/* Return what a new thread gets instead of `argument`, or 0 if there is no memory. */
struct inst_thread_start *inst_thread_announce(void *start, void *argument);
void inst_thread_not_begun(struct inst_thread_start *given);
/* In the new thread: restore `argument`, and return the program's start function. */
void *inst_thread_begins(struct inst_thread_start *given, void **argument);

#pragma GCC visibility pop

static inline void inst_thread_joined(pthread_t thread)
{
    inst_annotate_hint("happens_after", (uintptr_t)thread | 1, 0, "thread joined");
}

#endif
