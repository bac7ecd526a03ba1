/* Stack memory that a function allocates. */
#include "record.h"

#include "../rst/frames.c"
