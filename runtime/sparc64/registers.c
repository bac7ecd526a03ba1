/* The program's registers: as in 32-bit code except for the definitions here. */
#include "../sparc/registers.c"
