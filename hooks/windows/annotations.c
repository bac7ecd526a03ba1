/* Events other than accesses, and the registers of interrupted code: as the library record writes them. */
#include "windows.h"

#include "../record/annotations.c"
