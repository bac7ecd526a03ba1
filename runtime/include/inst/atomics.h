/* Atomic operations that are functions of libatomic, for their wrappers.

   An object is reported in parts of at most 8 bytes, each with the event that states how the operation
   orders threads there.  Values are passed by the address of their bytes.  */
#ifndef INST_ATOMICS_H
#define INST_ATOMICS_H

#include <stddef.h>
#include <stdint.h>

struct inst_atomic {
    uintptr_t address;
    uintptr_t place;            /* of the call */
    size_t size;
    const void *function;       /* the wrapper */
    int releases, acquires;
    int updates;                /* it reads and writes */
};

#pragma GCC visibility push(hidden)

/* An operation with a memory order of C11 begins; `returns_to` is __builtin_return_address(0). */
void inst_atomic_begins(struct inst_atomic *atomic, const volatile void *address, size_t size,
                        int order, const void *function, void *returns_to);
/* The same for one that reads and writes: what the thread did before is released. */
void inst_atomic_update_begins(struct inst_atomic *atomic, const volatile void *address, size_t size,
                               int order, const void *function, void *returns_to);
/* It failed, and had this order. */
void inst_atomic_failed(struct inst_atomic *atomic, int order);
/* It has read a value; it has written one, or is about to. */
void inst_atomic_reads(const struct inst_atomic *atomic, const void *value);
void inst_atomic_writes(const struct inst_atomic *atomic, const void *value);

/* It is over, and all of it reported. */
void inst_atomic_ends(void);

/* Of the runtime: runtime/report_access.h. */
void inst_report_operation(int begins);
void inst_report_order(unsigned size, uintptr_t address, const char *how);
void inst_report_access(int writes, uintptr_t address, unsigned size, uint64_t value, uintptr_t pc);

#pragma GCC visibility pop

#endif
