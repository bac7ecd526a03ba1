/* Accesses that segments do not record: atomics, multiple forms, objects that call hooks. */
#include "flight.h"

#include "../ring/accesses.c"
