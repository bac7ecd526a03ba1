/* Where a program begins: as in 32-bit code except for the definitions here. */
#include "../sparc/entry.h"
