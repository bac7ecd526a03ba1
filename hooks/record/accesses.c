/* Accesses that segments do not record: atomics, vectors, objects that call hooks. */
#include "record.h"

#include "../rst/accesses.c"
