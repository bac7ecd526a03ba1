/* The same function where all registers but the return address are read later. */
#define OWN
#define DEAD_LINK
#define known known_dead
#include "registers.S"
