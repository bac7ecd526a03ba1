/* What a signal interrupted: as in 32-bit code except for the definitions there. */
#include "../powerpc/interrupted.h"
