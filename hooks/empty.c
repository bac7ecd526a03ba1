/* Hooks that do nothing: what instrumentation costs by itself. */
#include <inst/hooks.h>
