/* Where a program begins: as in 32-bit code. */
#include "../sparc/early.c"
