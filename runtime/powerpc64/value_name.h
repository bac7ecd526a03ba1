/* What follows a value among the words that segments write: as in 32-bit code. */
#include "../powerpc/value_name.h"
