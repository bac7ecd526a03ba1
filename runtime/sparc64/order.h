/* Which stores are ordered after their thread's earlier accesses: as in 32-bit code. */
#include "../sparc/order.h"
