/* The events and hints that wrappers of locks report. */
#include <pthread.h>

#include <inst/lock_order.h>
#include "lock_state.h"

/* A recursive mutex that its owner already holds establishes no order: it counts as tried.
   mtx_t is a pthread_mutex_t in glibc. */
void inst_mutex_locked(void *address, uintptr_t place)
{
    if (is_held_recursively(address))
        inst_saw_trylock((uintptr_t)address, place);
    else
        inst_saw_lock((uintptr_t)address, place);
}

void inst_either_unlocks(void *address, uintptr_t place)
{
    if (has_writer(address))        /* there are no readers beside it */
        inst_saw_unlock((uintptr_t)address, place);
    else
        inst_leaves((uintptr_t)address | 1, place);
}

void inst_leaves(uintptr_t token, uintptr_t place)
{
    inst_give_hint(INST_HAPPENS_BEFORE, token, 0, place);
}

void inst_takes(uintptr_t token, uintptr_t place)
{
    inst_give_hint(INST_HAPPENS_AFTER, token, 0, place);
}

void inst_takes_block(const void *block, uintptr_t size, uintptr_t place)
{
    if (block && size)
        inst_give_hint(INST_HAPPENS_AFTER, (uintptr_t)block, size, place);
}

void inst_block_freed(const void *block, void *returns_to)
{
    if (block)
        inst_leaves((uintptr_t)block, inst_call_address(returns_to));
}

void inst_block_allocated(const void *block, uintptr_t size, void *returns_to)
{
    inst_takes_block(block, size, inst_call_address(returns_to));
}

void inst_block_is_raw(const void *block, uintptr_t size, void *returns_to)
{
    if (block && size)
        inst_give_hint(INST_UNINITIALISED, (uintptr_t)block, size, inst_call_address(returns_to));
}

void inst_allocator_ran(const void *mark)
{
    static int reported;
    if (mark != inst_event_mark() && !reported) {
        reported = 1;
        inst_annotate_hint("allocator_traced", 0, 0, "allocator");
    }
}
