/* The hostile hooks for objects that report addresses only: a hook that reads a value needs more. */
#define HOSTILE_ADDRESSES_ONLY
#include "../../runtime/files/hostile.c"
