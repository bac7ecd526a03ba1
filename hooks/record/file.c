/* The start of the file and of the chunks with events. */
#include "record.h"

#include "../rst/file.c"
