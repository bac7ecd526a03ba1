/* The events and hints that wrappers of locks report. */
#include <pthread.h>

#include <inst/lock_order.h>
#include <inst/wrap.h>
#include "lock_state.h"

const char *inst_call_place(char *text, void *returns_to)
{
    uintptr_t place = inst_call_address(returns_to);
    text[0] = '0';
    text[1] = 'x';
    for (unsigned n = 0; n < 2 * sizeof place; n++)
        text[2 + n] = "0123456789abcdef"[place >> (8 * sizeof place - 4 - 4 * n) & 15];
    text[2 + 2 * sizeof place] = 0;
    return text;
}

/* A recursive mutex that its owner already holds establishes no order: it counts as tried.
   mtx_t is a pthread_mutex_t in glibc. */
void inst_mutex_locked(void *address, const char *place)
{
    if (is_held_recursively(address))
        inst_saw_trylock((uintptr_t)address, place);
    else
        inst_saw_lock((uintptr_t)address, place);
}

void inst_either_unlocks(void *address, const char *place)
{
    if (has_writer(address))        /* there are no readers beside it */
        inst_saw_unlock((uintptr_t)address, place);
    else
        inst_leaves((uintptr_t)address | 1, place);
}

void inst_leaves(uintptr_t token, const char *place)
{
    inst_annotate_hint("happens_before", token, 0, place);
}

void inst_takes(uintptr_t token, const char *place)
{
    inst_annotate_hint("happens_after", token, 0, place);
}

void inst_block_freed(const void *block, void *returns_to)
{
    char text[INST_PLACE_SIZE];
    if (block)
        inst_leaves((uintptr_t)block, inst_call_place(text, returns_to));
}

void inst_block_allocated(const void *block, uintptr_t size, void *returns_to)
{
    char text[INST_PLACE_SIZE];
    if (block && size)
        inst_annotate_hint("happens_after", (uintptr_t)block, size,
                           inst_call_place(text, returns_to));
}

void inst_block_is_raw(const void *block, uintptr_t size, void *returns_to)
{
    char text[INST_PLACE_SIZE];
    if (block && size)
        inst_annotate_hint("uninitialised", (uintptr_t)block, size,
                           inst_call_place(text, returns_to));
}

void inst_allocator_ran(const void *mark)
{
    static int reported;
    if (mark != inst_event_mark() && !reported) {
        reported = 1;
        inst_annotate_hint("allocator_traced", 0, 0, "allocator");
    }
}
