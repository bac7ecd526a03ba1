/* Shared by the files of the library: assembling a record, and its numbers. */
#ifndef INST_HOOKS_SEXP_H
#define INST_HOOKS_SEXP_H

#include "../text.h"

#pragma GCC visibility push(hidden)

enum { EVENT_ROOM = 400 };      /* bytes that the longest record takes */

ALWAYS unsigned char *put_decimal(unsigned char *at, uint32_t number)
{
    unsigned char digits[10], *digit = digits;
    do {
        uint32_t rest = number / 10;
        *digit++ = '0' + (number - rest * 10);
        number = rest;
    } while (number);
    while (digit > digits)
        *at++ = *--digit;
    return at;
}

static inline unsigned char *put_short_word(unsigned char *at, uint32_t number)
{
    int shift = 0;
    while (shift < 28 && number >> (shift + 4))
        shift += 4;
    for (; shift >= 0; shift -= 4)
        *at++ = hexadecimal_digit(number >> shift & 15);
    return at;
}

ALWAYS unsigned char *put_hexadecimal(unsigned char *at, uint32_t high, uint32_t low)
{
    at = put_text(at, "0x");
    return high ? put_word(put_short_word(at, high), low) : put_short_word(at, low);
}

/* All eight digits of an address, or more where it has them. */
ALWAYS unsigned char *put_address(unsigned char *at, inst_address address)
{
    uint32_t high = (uint64_t)address >> 32;
    at = put_text(at, "0x");
    if (inst_unlikely(high))
        at = put_short_word(at, high);
    return put_word(at, address);
}

ALWAYS unsigned char *put_short_address(unsigned char *at, inst_address address)
{
    return put_hexadecimal(at, (uint64_t)address >> 32, address);
}

/* Begin a record after its parenthesis, which is written last, so that no partial record is read. */
ALWAYS unsigned char *put_start(unsigned char *at, const char *kind, uint32_t id)
{
    at = put_text(put_text(at + 1, kind), " (id ");
    at = put_text(put_decimal(at, id), ") (tid ");
    return put_text(put_decimal(at, inst_thread.mark & ~INST_EXCHANGE), ")");
}

/* End a record, at last by its first parenthesis. */
ALWAYS unsigned char *put_end(unsigned char *at, unsigned char *start)
{
    at = put_text(at, ")\n");
    inst_ordered();
    *start = '(';
    return at;
}

/* End its last field as well. */
ALWAYS unsigned char *put_ends(unsigned char *at, unsigned char *start)
{
    *at++ = ')';
    return put_end(at, start);
}

/* Write that the thread's accesses are missing from here on, or are there again. */
unsigned char *sexp_put_gap(unsigned char *at, const char *word, const char *source, int64_t count);

/* Write a place in the order of all threads: see annotations.c. */
unsigned char *sexp_put_order(unsigned char *at, uint64_t order, inst_address address, unsigned size,
                              const char *how);

/* Write an access of a library function that the program called at `pc`. */
unsigned char *sexp_put_access(unsigned char *at, int writes, inst_address address, unsigned size,
                               uint64_t value, inst_address pc);

#pragma GCC visibility pop

#endif
