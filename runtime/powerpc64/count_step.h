/* The step of the software instruction counter: as in 32-bit code. */
#include "../powerpc/count_step.h"
