/* Events other than accesses: as the library rst writes them. */
#include "record.h"

#include "../rst/annotations.c"
