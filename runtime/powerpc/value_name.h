/* What follows a value among the words that segments write, for the library `windows`. */
#ifndef INST_VALUE_NAME_H
#define INST_VALUE_NAME_H

#include <stdint.h>

/* Segments write words without blocks and names: a value needs none. */
static inline int name_value(volatile uintptr_t *at, int words)
{
    (void)at, (void)words;
    return 0;
}

#endif
