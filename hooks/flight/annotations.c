/* Annotations, as the library `ring` writes them. */
#include "flight.h"

#include "../ring/annotations.c"
