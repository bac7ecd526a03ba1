/* Functions for chunks that go to a ring: only the library `record` has them. */
#ifndef INST_RING_H
#define INST_RING_H

#include "output.h"

#pragma GCC visibility push(hidden)

/* The chunks that are taken now are those of a table. */
void inst_begin_tables(int begins);

#pragma GCC visibility pop

#endif
