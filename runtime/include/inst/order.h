/* Which stores are ordered after their thread's earlier accesses, by the program's code.  Internal: of
   libraries that write this for a site once, and of the wrappers of libatomic. */
#ifndef INST_ORDER_H
#define INST_ORDER_H

#include <stdint.h>

/* So many instructions before a store are looked at. */
enum { INST_ORDER_REACH = 32 };

#pragma GCC visibility push(hidden)

int inst_is_barrier(const uint32_t *at);
/* Return whether control goes on after an instruction; `target` is set for a branch. */
int inst_goes_on(const uint32_t *at, const uint32_t **target);
/* Return whether an instruction stores elsewhere than on the stack. */
int inst_stores(const uint32_t *at);
/* Return whether a barrier that orders stores comes before a store, with no branch and no other store
   between except on the stack; the store's own probe is skipped. */
int inst_is_release(const uint32_t *store);

#pragma GCC visibility pop

#endif
