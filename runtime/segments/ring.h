/* Functions for chunks that go to a ring: only the library `record` has them. */
#ifndef INST_RING_H
#define INST_RING_H

#include "output.h"

#pragma GCC visibility push(hidden)

/* variables.c: read a number, or a size such as 64M; return 0 if there is none.  What is wrong is
   reported and ignored. */
int inst_read_number(const char *variable, uint64_t *number);
int inst_read_size(const char *variable, uint64_t *size);

/* The chunks that are taken now are those of a table. */
void inst_begin_tables(int begins);

#pragma GCC visibility pop

#endif
