/* sysv_signal and __sysv_signal: as the C library sets handlers, but ours. */
#include <inst/set_handler.h>

SET_HANDLER(sysv_signal)
SET_HANDLER(__sysv_signal)
