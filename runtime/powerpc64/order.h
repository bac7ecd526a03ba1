#include "../powerpc/order.h"
