/* Where the kernel goes when a handler of ours is over: as in 32-bit code. */
#include "../powerpc/restorer.h"
