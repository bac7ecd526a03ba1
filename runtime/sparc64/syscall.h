/* System calls and spin locks: as in 32-bit code except for the definitions here. */
#include "../sparc/syscall.h"
