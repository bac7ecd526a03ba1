/* signal and ssignal: as the C library sets handlers, but ours. */
#include <inst/set_handler.h>

SET_HANDLER(signal)
SET_HANDLER(ssignal)
