/* Files and processes by system calls of their own. */
#include "process.h"
#include <inst/support.h>

#include <asm/fcntl.h>
#include <asm/signal.h>

int OPEN(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return inst_syscall(__NR_open, (long)path, flags, mode, 0, 0, 0);
}

int CREAT(const char *path, unsigned mode)
{
    return OPEN(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int CLOSE(int fd)
{
    return inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
}

long READ(int fd, void *to, size_t size)
{
    return inst_syscall(__NR_read, fd, (long)to, size, 0, 0, 0);
}

long WRITE(int fd, const void *from, size_t size)
{
    return inst_syscall(__NR_write, fd, (long)from, size, 0, 0, 0);
}

int DUP(int fd)
{
    return inst_syscall(__NR_dup, fd, 0, 0, 0, 0, 0);
}

/* pipe2, since pipe itself returns its second number in a register of SPARC. */
int PIPE(int fds[2])
{
    return inst_syscall(__NR_pipe2, (long)fds, 0, 0, 0, 0, 0);
}

int UNLINK(const char *path)
{
    return inst_syscall(__NR_unlink, (long)path, 0, 0, 0, 0, 0);
}

int FSYNC(int fd)
{
    return inst_syscall(__NR_fsync, fd, 0, 0, 0, 0, 0);
}

int GETPID(void)
{
    return inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
}

int GETTID(void)
{
    return inst_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0);
}

int KILL(int process, int signal)
{
    return inst_syscall(__NR_kill, process, signal, 0, 0, 0, 0);
}

/* As abort: a handler of the program's runs first, and may not return to the program. */
void ABORT(void)
{
    static const uint32_t none[2];
    static const unsigned long usual[16];
    inst_syscall(__NR_tgkill, GETPID(), GETTID(), SIGABRT, 0, 0, 0);
    inst_unblock_signals(none);
    INST_SET_ACTION(SIGABRT, usual, 0, 0);
    inst_syscall(__NR_tgkill, GETPID(), GETTID(), SIGABRT, 0, 0, 0);
    _EXIT(127);
}

void _EXIT(int status)
{
    for (;;)
        inst_syscall(__NR_exit_group, status, 0, 0, 0, 0, 0);
}

const char *GETENV(const char *name)
{
    return inst_environment(name);
}

int CLOCK_GETTIME(int clock, void *timespec)
{
    return inst_syscall(__NR_clock_gettime, clock, (long)timespec, 0, 0, 0, 0);
}
