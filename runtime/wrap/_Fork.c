/* _Fork, which calls no fork handlers: the child has its own trace. */
#include <errno.h>
#include <unistd.h>

#include <inst/handlers.h>
#include <inst/wrap.h>

extern pid_t __real__Fork(void);

pid_t __wrap__Fork(void)
{
    inst_expect_fork();
    int before = errno;
    pid_t child = __real__Fork();
    inst_fork_returned();
    inst_error_since(before);
    return child;
}
