/* Stack memory that a function allocates. */
#include "windows.h"

#include "../rst/frames.c"
