/* Whether the register of return addresses holds the interrupted function's: as in 32-bit code. */
#include "../sparc/return_address.h"
