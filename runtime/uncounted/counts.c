/* The library counts for no windows: what `counted` has, so that no library calls what it lacks.  Glue is
   made for what a library's code may do, and of a function that is not there anything is assumed. */
#include "../process.h"

const int inst_has_windows = 0;

int inst_first_window(void)
{
    return 0;
}

int inst_is_outside(void)
{
    return 0;
}

uint64_t inst_counted(void)
{
    return 0;
}
