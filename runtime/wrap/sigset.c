/* sigset: X/Open's function, which also blocks and unblocks; so it cannot run while we block
   signals. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include <inst/wrap.h>

extern int __wrap_sigaction(int, const struct sigaction *, struct sigaction *);

typedef void (*simple_handler)(int);

simple_handler __wrap_sigset(int number, simple_handler handler)
{
    struct sigaction action = { .sa_handler = handler }, old;
    sigset_t one, before;
    int holds = handler == SIG_HOLD;
    if (handler == SIG_ERR || sigemptyset(&one) || sigaddset(&one, number)) {
        errno = EINVAL;
        inst_error_written();
        return SIG_ERR;
    }
    if (__wrap_sigaction(number, holds ? NULL : &action, &old))
        return SIG_ERR;
    if (sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &one, &before))
        return SIG_ERR;
    return sigismember(&before, number) ? SIG_HOLD : old.sa_handler;
}
