/* Whether the register of return addresses holds the interrupted function's, and where that is if not. */
#ifndef INST_RETURN_ADDRESS_H
#define INST_RETURN_ADDRESS_H

#include "../calls.h"
#include "../context.h"

/* LR has an address in glue only as long as what glue has called has called nothing else. */
static inline int inst_returns_to_glue(const struct inst_context *context,
                                       int (*hook_at)(uintptr_t pc))
{
    (void)context, (void)hook_at;
    return 1;
}

/* Return the hook of the glue that has called the interrupted function, or 0, where the return address
   is not in LR.  Prologues have it in r0 until it is stored, while code that asks for its own address
   (`bcl 20,31`) uses that register, and epilogues until `mtlr 0`.  Glue gives r0 back: only what it
   calls has its address there. */
static inline int inst_hook_of_moved_link(const struct inst_context *context,
                                          int (*hook_at)(uintptr_t pc))
{
    const uint32_t *pc = (const uint32_t *)context->pc;
    uintptr_t moved = context->moved;
    if (inst_is_readable(pc, 4) && *pc == INST_LOAD_LINK)
        moved = ((const uintptr_t *)context->stack)[INST_LINK_SAVED];
    return hook_at(moved);
}

#endif
