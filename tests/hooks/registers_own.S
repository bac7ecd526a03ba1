/* The same function where all registers are read later, also those that sites use on SPARC. */
#define OWN
#define known known_own
#include "registers.S"
