/* Functions that a hook calls seldom: as in 32-bit code but for what the file itself says. */
#include "../sparc/preserve.h"
