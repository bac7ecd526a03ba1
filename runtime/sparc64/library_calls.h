/* What wrappers must know: as in 32-bit code except for the definitions there. */
#include "../sparc/library_calls.h"
