/* Values among the words that segments write. */
#ifndef INST_HOOKS_WINDOWS_VALUE_H
#define INST_HOOKS_WINDOWS_VALUE_H

#include "windows.h"

enum { WORD = sizeof(uintptr_t), COUNT_OF_NONE = 1 };

/* Write what was loaded, and after it a word in which the loads are counted that are left out from then on,
   and one more: words at the end of a run that are 0 are none of it.

   As a segment's, the words are in their place before the cursor is moved, and nothing points beyond it before
   that: a signal comes before the value or after it. */
static void write_value(uint64_t value, unsigned size)
{
    if (!inst_thread.block || inst_segments.cursor >= inst_segments.limit)
        inst_room();
    struct inst_part *part = &inst_thread.block->part;
    uint32_t serial = *(volatile uint32_t *)&part->serial;
    inst_ordered();
    uintptr_t cursor = inst_segments.cursor;
    int words = size > WORD ? 2 : 1;
    volatile uintptr_t *at = (volatile uintptr_t *)cursor;
    at[1] = words == 2 ? (uintptr_t)(value >> 32) : (uintptr_t)value;
    if (words == 2)
        at[2] = (uintptr_t)value;
    at[words + 1] = COUNT_OF_NONE;
    __asm__ __volatile__("" : "+r"(cursor) : : "memory");
    *(volatile uintptr_t *)&inst_segments.cursor = cursor + (words + 1) * WORD;
    inst_ordered();
    uintptr_t *count = (uintptr_t *)cursor + words + 1;
    part->left_out = part->chunk ? count : 0;
    inst_ordered();
    if (*(volatile uint32_t *)&part->serial != serial)
        part->left_out = 0;
}

#endif
