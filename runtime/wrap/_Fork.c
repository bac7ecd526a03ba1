/* _Fork, which calls no fork handlers: the child has its own trace. */
#include <unistd.h>

#include <inst/handlers.h>

extern pid_t __real__Fork(void);

pid_t __wrap__Fork(void)
{
    inst_expect_fork();
    pid_t child = __real__Fork();
    inst_fork_returned();
    return child;
}
