/* Where functions are entered and left: as the library rst writes it. */
#include "windows.h"

#include "../rst/functions.c"
