/* Writing text into the space of an event, for the libraries that write text.  Each function stores
   characters at a place and returns where they end. */
#ifndef INST_HOOKS_TEXT_H
#define INST_HOOKS_TEXT_H

#include <inst/runtime.h>

#define ALWAYS static inline __attribute__((always_inline))

/* Texts are known when this is compiled: each character becomes one store. */
ALWAYS unsigned char *put_text(unsigned char *at, const char *text)
{
    unsigned length = __builtin_strlen(text);
#pragma GCC unroll 32
    for (unsigned n = 0; n < length; n++)
        at[n] = text[n];
    return at + length;
}

ALWAYS unsigned char hexadecimal_digit(uint32_t digit)
{
    return digit + (digit < 10 ? '0' : 'a' - 10);
}

/* All eight digits of a word. */
ALWAYS unsigned char *put_word(unsigned char *at, uint32_t number)
{
#pragma GCC unroll 8
    for (int n = 0; n < 8; n++)
        at[n] = hexadecimal_digit(number >> (28 - 4 * n) & 15);
    return at + 8;
}

/* Fill space with what readers skip: blanks, and the end of the line at the end. */
static inline void fill_with_blanks(unsigned char *from, unsigned char *to)
{
    while (from + 1 < to)
        *from++ = ' ';
    if (from < to)
        *from = '\n';
}

/* Begin a new line after a space: what precedes it on the old line follows zeros, and is
   skipped. */
static inline unsigned char *resume_on_new_line(unsigned char *at)
{
    at[-1] = '\n';
    return at;
}

#endif
