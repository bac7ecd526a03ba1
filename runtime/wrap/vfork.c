/* vfork: the child has its own memory and its own trace. */
#include <errno.h>
#include <inst/handlers.h>
#include <inst/wrap.h>

int __wrap_vfork(void)
{
    long child = inst_vfork();
    if (child >= 0)
        return child;
    errno = -child;
    inst_error_written();
    return -1;
}
