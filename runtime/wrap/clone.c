/* clone: a process with memory of its own has a trace of its own.  One that shares its parent's memory
   while the parent waits (as posix_spawn does) gets a copy instead, as after vfork: both would write
   to one place, and emulators copy the memory anyway.  */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>

#include <inst/handlers.h>
#include <inst/wrap.h>

extern int __real_clone(int (*)(void *), void *, int, void *, pid_t *, void *, pid_t *);

int __wrap_clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list more;
    va_start(more, argument);
    pid_t *parent = va_arg(more, pid_t *);
    void *thread = va_arg(more, void *);
    pid_t *child = va_arg(more, pid_t *);
    va_end(more);
    if (flags & CLONE_VFORK && !(flags & CLONE_THREAD))
        flags &= ~(CLONE_VM | CLONE_SIGHAND);
    if (!(flags & CLONE_VM))
        inst_expect_fork();
    int before = errno;
    int made = __real_clone(function, stack, flags, argument, parent, thread, child);
    inst_fork_returned();
    inst_error_since(before);
    return made;
}
