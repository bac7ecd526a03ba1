/* Whether the register of return addresses holds the interrupted function's: as in 32-bit code. */
#include "../powerpc/return_address.h"
