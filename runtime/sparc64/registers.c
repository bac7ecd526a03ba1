/* The program's registers: as in 32-bit code but for what the file itself says. */
#include "../sparc/registers.c"
