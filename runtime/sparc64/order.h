/* Which stores are ordered behind what their thread did before: as in 32-bit code. */
#include "../sparc/order.h"
