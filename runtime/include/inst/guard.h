/* The check of save areas from inside a hook library, which --inst-stack-check puts around the
   hooks of any library. */
#ifndef INST_GUARD_H
#define INST_GUARD_H

#include <inst/runtime.h>

#pragma GCC visibility push(hidden)

struct inst_guard {
    void *frames;
    uint32_t count;
    inst_address lowest;    /* addresses below and from highest on are no save area */
    inst_address highest;
};
extern __thread struct inst_guard inst_guard;

/* In a size: the access is a store. */
enum { INST_GUARD_STORE = 0x100 };

/* To be called by savehook and restorehook; frame is buf16[6]. */
void inst_guard_save(inst_address stack, inst_address frame, inst_address pc);
void inst_guard_restore(inst_address frame);
void inst_guard_move(inst_address stack, inst_address frame);
void inst_guard_search(inst_address address, uint32_t size, inst_address pc);

/* To be called by the hook of an access: does not return from an access that is refused. */
static inline void inst_guard_check(inst_address address, uint32_t size, inst_address pc)
{
    if (inst_guard.count && address < inst_guard.highest && address + 16 > inst_guard.lowest)
        inst_guard_search(address, size, pc);
}

#pragma GCC visibility pop

#endif
