/* The start of the file and of the chunks with events. */
#include "windows.h"

#include "../rst/file.c"
