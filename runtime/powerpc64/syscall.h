/* System calls and spin locks as 64-bit PowerPC Linux has them: those of 32 bits, but that a
   64-bit argument takes one register. */
#include "../powerpc/syscall.h"
