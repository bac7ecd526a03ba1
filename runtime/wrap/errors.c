/* errno: a variable of each thread. */
#include <inst/wrap.h>

void inst_error_written(void)
{
    inst_writes(&errno, sizeof errno);
}

void inst_error_since(int before)
{
    if (errno != before)
        inst_error_written();
}
