/* As in 32-bit code. */
#include "../powerpc/call.h"
