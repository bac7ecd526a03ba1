/* What wrappers must know: as in 32-bit code except for the definitions there. */
#include "../powerpc/library_calls.h"
