/* Values among the words that segments write. */
#ifndef INST_HOOKS_WINDOWS_VALUE_H
#define INST_HOOKS_WINDOWS_VALUE_H

#include "windows.h"

enum { WORD = sizeof(uintptr_t), COUNT_OF_NONE = 1 };

#ifdef __sparc__
/* Where segments write blocks, a value is one: its words, the count, and a name that leads to a load of a
   word.  The rows of the two names, for values of one word and of two, say that each word is what it loads. */
#if __SIZEOF_POINTER__ == 8
#define ADDRESS ".8byte"
#define LOAD "ldx\t[%g0], %g1"
#else
#define ADDRESS ".4byte"
#define LOAD "ld\t[%g0], %g1"
#endif
#define ITEM(SLOT) "\t.4byte 0\n\t.byte 0, 0, " #SLOT ", 65\n\t.4byte 0, 0\n"  /* known, and a name */
#define NAMED(NAME, WORDS, ITEMS)                                                        \
    __asm__("\t.section .text\n\t.balign 4\n\t.globl " #NAME "\n\t.hidden " #NAME "\n"    \
            #NAME ":\n\t" LOAD "\n\t.section .debug_inst_record,\"\",@progbits\n\t"       \
            ADDRESS " " #NAME "\n\t.2byte " #WORDS ", " #WORDS "-1\n" ITEMS              \
            "\t.section .text\n")
NAMED(inst_window_word, 3, ITEM(2) ITEM(1));
NAMED(inst_window_words, 4, ITEM(3) ITEM(2) ITEM(1));
extern const char inst_window_word[], inst_window_words[];

static inline uintptr_t name_of(int words)
{
    return inst_image_base() - (uintptr_t)(words == 1 ? inst_window_word : inst_window_words);
}
#endif

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
    int words = size > WORD ? 2 : 1, more = 0;
    volatile uintptr_t *at = (volatile uintptr_t *)cursor;
    at[1] = words == 2 ? (uintptr_t)(value >> 32) : (uintptr_t)value;
    if (words == 2)
        at[2] = (uintptr_t)value;
    at[words + 1] = COUNT_OF_NONE;
#ifdef __sparc__
    at[words + 2] = name_of(words);
    more = 1;
#endif
    __asm__ __volatile__("" : "+r"(cursor) : : "memory");
    *(volatile uintptr_t *)&inst_segments.cursor = cursor + (words + 1 + more) * WORD;
    inst_ordered();
    uintptr_t *count = (uintptr_t *)cursor + words + 1;
    part->left_out = part->chunk ? count : 0;
    inst_ordered();
    if (*(volatile uint32_t *)&part->serial != serial)
        part->left_out = 0;
}

#endif
