/* Whether the register of return addresses holds the interrupted function's, and where that is if not. */
#ifndef INST_RETURN_ADDRESS_H
#define INST_RETURN_ADDRESS_H

#include "../calls.h"
#include "../context.h"

/* Return whether an address in glue that the register has is where the interrupted function returns
   to.  %o7 counts in a function without a window of its own, and is what some other call has left in
   one with a window.  Glue has a window: there %i7 is the site that called it. */
static inline int inst_returns_to_glue(const struct inst_context *context,
                                       int (*hook_at)(uintptr_t pc))
{
    const uint32_t *site = (const uint32_t *)context->saved[15];
    return (uintptr_t)site % 4 == 0 && inst_is_readable(site, 4) && inst_is_call(*site)
           && hook_at(inst_call_target(site));
}

/* Functions move their return address nowhere else. */
static inline int inst_hook_of_moved_link(const struct inst_context *context,
                                          int (*hook_at)(uintptr_t pc))
{
    (void)context, (void)hook_at;
    return 0;
}

#endif
