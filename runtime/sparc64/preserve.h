/* Functions that a hook rarely calls: as in 32-bit code except for the definitions here. */
#include "../sparc/preserve.h"
