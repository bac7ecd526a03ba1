/* Instructions of two words: as in 32-bit code. */
#include "../sparc/prefix.h"
