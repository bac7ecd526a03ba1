/* As in 32-bit code. */
#include "../sparc/call.h"
