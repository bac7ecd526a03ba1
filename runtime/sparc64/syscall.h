/* System calls and spin locks: as in 32-bit code but for what the file itself says. */
#include "../sparc/syscall.h"
