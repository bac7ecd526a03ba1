/* Hooks that do nothing, to measure the cost of instrumentation alone. */
#include <inst/hooks.h>
