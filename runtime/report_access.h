/* From decoded instructions to hooks: what the decoders of rare instructions share. */
#ifndef INST_REPORT_ACCESS_H
#define INST_REPORT_ACCESS_H

#include <inst/runtime.h>

#pragma GCC visibility push(hidden)

/* Call the hook for an access of 1, 2, 4, 8 or 16 bytes, if the library has it. */
void inst_report_load(unsigned size, inst_address address, inst_address pc, uint64_t value,
                      uint64_t low);
void inst_report_store(unsigned size, inst_address address, inst_address pc, uint64_t value,
                       uint64_t low);
/* All that an instruction moves between memory and general registers, if the library takes it at
   once: then return 1. */
int inst_report_several(unsigned size, int stores, inst_address address, inst_address pc,
                        const inst_address *registers);
/* Before an access that orders threads: report its place among those of all, and how it orders:
   "release" before it runs, "acquire" after it; "relaxed" means that it is only atomic. */
void inst_report_order(unsigned size, inst_address address, const char *how);
/* An access of a library function that the program called at `pc`: as a range where the library has no
   format of its own for it. */
void inst_report_access(int writes, inst_address address, unsigned size, uint64_t value,
                        inst_address pc);
/* The store half of an instruction that also loads. */
void inst_report_exchange(unsigned size, inst_address address, inst_address pc, uint64_t value);
void inst_report_reservation(unsigned size, inst_address address, inst_address pc);
void inst_report_block(unsigned size, inst_address address, inst_address pc);

#pragma GCC visibility pop

/* State whether the accesses that a decoder reports are those of inst_recorded_access; what this returns is
   for inst_end_recorded.  A handler's decoder leaves it as it was. */
#if defined(INST_BARE) || !defined(__PIE__)
#define inst_recorded_access_is_there 0
static inline int inst_begin_recorded(int recorded)
{
    (void)recorded;
    return 0;
}

static inline void inst_end_recorded(int before)
{
    (void)before;
}
#else
#define inst_recorded_access_is_there (&inst_recorded_access != 0)
static inline int inst_begin_recorded(int recorded)
{
    int before = inst_thread.recorded;
    inst_thread.recorded = recorded;
    return before;
}

static inline void inst_end_recorded(int before)
{
    inst_thread.recorded = before;
}
#endif

#endif
