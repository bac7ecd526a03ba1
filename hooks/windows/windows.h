/* Values of loads that re-execution cannot know, chosen while the program runs: this library is made from
   the code of `record`, with what is defined here.

   A load is left out if its bytes are known, and are what they are known to be: the thread has loaded or
   stored them before.  So what the kernel, other threads and code without instrumentation write is
   never taken for what was there.  Each value that is written has a word after it, which counts the
   loads left out since: re-execution takes these from its own memory.

   A value stands where a segment would have put it.  In a shared object hooks write records, as those
   of `record` do: its code is not executed again. */
#ifndef INST_HOOKS_WINDOWS_H
#define INST_HOOKS_WINDOWS_H

#ifdef __PIE__
#define RECORD_VERSION INST_RECORDING_WINDOWS
#endif

#include "../record/record.h"

#ifdef __PIE__
#pragma GCC visibility push(hidden)

/* What is known of a page of memory: its bytes, and for each a bit that says so, the lowest of a byte first. */
enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS, PAGES = 4096 };
struct inst_known {
    unsigned char bytes[PAGE];
    unsigned char known[PAGE / 8];
};

/* The first level of the table: which page each place of the second has.  A page that takes the place of
   another makes that one unknown, so the table has a size, and no loads are left out for want of it. */
struct inst_table {
    uintptr_t numbers[PAGES];
    struct inst_known pages[PAGES];
};

/* Of a thread. */
struct inst_learned {
    uintptr_t busy;             /* stack pointer of the hook that changes the table; INTERRUPTED: others
                                   came in between, and the table is forgotten when it ends; 0: none */
    const struct inst_block *block; /* whose loads are counted: another one's in a child of vfork */
    struct inst_table *table;   /* 0: nothing is known */
};
enum { INTERRUPTED = 1 };
extern __thread struct inst_learned inst_learned;

#pragma GCC visibility pop

/* An event begins: the loads after it are counted after another value. */
static inline __attribute__((always_inline)) unsigned char *windows_position(unsigned char *at)
{
    inst_thread.block->part.left_out = 0;
    return record_position(at);
}
#undef rst_position
#define rst_position windows_position
#endif

#endif
