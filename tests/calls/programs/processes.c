/* Make a process in one of the ways that call no handlers of fork; each stores marks of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_clone3
#define SYS_clone3 435
#endif
enum { MARKS = 3000, STACK = 1 << 16 };
static volatile unsigned mark;
static char stack[STACK] __attribute__((aligned(16)));
static int ends[2];

/* Stores 0xaa000001, 0xaa000002 ... */
static void work(unsigned who)
{
    for (unsigned n = 1; n <= MARKS; n++)
        mark = who << 24 | n;
}

static int child(void *unused)
{
    char said[32];
    work(0xcc);
    write(ends[1], said, sprintf(said, "child stored %x\n", mark));
    _exit(7);
}

static long make(const char *way)
{
    struct {
        unsigned long long flags, pidfd, child, parent, signal, rest[6];
    } wanted = { .signal = SIGCHLD };
    if (!strcmp(way, "clone"))
        return clone(child, stack + STACK, SIGCHLD, 0);
    if (!strcmp(way, "borrowed"))
        return clone(child, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, 0);
    if (!strcmp(way, "_Fork"))
        return _Fork();
    if (!strcmp(way, "fork-call"))
        return syscall(SYS_fork);
    if (!strcmp(way, "clone-call"))
        return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    return syscall(SYS_clone3, &wanted, sizeof wanted);
}

int main(int count, char **words)
{
    char said[64] = { 0 };
    int status = -1;
    pid_t own = getpid();
    pipe(ends);
    work(0xaa);
    long made = make(words[1]);
    if (getpid() != own)    /* not every machine's clone returns 0 in the child */
        child(0);
    work(0xbb);
    if (made < 0) {
        printf("%s\n", errno == ENOSYS ? "no such call" : "failed");
        return 0;
    }
    waitpid(made, &status, 0);
    read(ends[0], said, sizeof said - 1);
    printf("%sparent stored %x, %d\n", said, mark, WEXITSTATUS(status));
    return 0;
}
