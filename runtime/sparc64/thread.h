/* Where a thread's own memory lies: as in 32-bit code except for the definitions there. */
#include "../sparc/thread.h"
