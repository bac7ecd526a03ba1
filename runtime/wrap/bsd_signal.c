/* bsd_signal: as the C library sets handlers, but ours. */
#include <inst/set_handler.h>

SET_HANDLER(bsd_signal)
