/* The step of the software instruction counter: as in 32-bit code. */
#include "../sparc/count_step.h"
