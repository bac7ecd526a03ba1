/* Words as lines of text among others: a title, a number, the words' bytes in hexadecimal, and the sum of the
   number and these bytes modulo 256. */
#ifndef INST_HOOKS_LINES_H
#define INST_HOOKS_LINES_H

#include <stdint.h>

static void put_text(void (*put)(char), const char *text)
{
    while (*text)
        put(*text++);
}

static void put_byte(void (*put)(char), unsigned byte)
{
    put("0123456789abcdef"[byte >> 4]);
    put("0123456789abcdef"[byte & 15]);
}

static void put_line(void (*put)(char), const char *title, unsigned number,
                     const volatile uint32_t *words, unsigned count)
{
    unsigned sum = number;
    put('\n');
    put_text(put, title);
    put(' ');
    put_byte(put, number);
    put(' ');
    for (unsigned n = 0; n < count; n++)
        for (int shift = 24; shift >= 0; shift -= 8) {
            unsigned byte = words[n] >> shift & 0xff;
            put_byte(put, byte);
            sum += byte;
        }
    put(' ');
    put_byte(put, sum & 0xff);
}

#endif
