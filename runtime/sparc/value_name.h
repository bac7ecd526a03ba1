/* What follows a value among the words that segments write, for the library `windows`. */
#ifndef INST_VALUE_NAME_H
#define INST_VALUE_NAME_H

#include <inst/runtime.h>

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

/* Name what precedes, a value of so many words; return how many words that takes. */
static inline int name_value(volatile uintptr_t *at, int words)
{
    *at = inst_image_base() - (uintptr_t)(words == 1 ? inst_window_word : inst_window_words);
    return 1;
}

#endif
