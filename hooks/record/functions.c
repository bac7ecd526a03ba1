/* Where functions are entered and left: as the library rst writes it. */
#include "record.h"

#include "../rst/functions.c"
