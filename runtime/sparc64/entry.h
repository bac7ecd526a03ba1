/* Where a program begins: as in 32-bit code but for what the file itself says. */
#include "../sparc/entry.h"
