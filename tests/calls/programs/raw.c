/* Make system calls by their instruction, in the ways that are hard to tell right: less moved than
   asked for, errors, interrupted by a handler that makes calls itself, restarted behind it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

#include "expect.h"

#ifdef __sparc__
#ifdef __arch64__
#define TRAP "ta 0x6d\n\tbcc,pt %%xcc, 1f\n\tmov 0, %%g4\n\tmov 1, %%g4\n1:"
#else
#define TRAP "ta 0x10\n\tbcc 1f\n\tmov 0, %%g4\n\tmov 1, %%g4\n1:"
#endif
static __attribute__((noinline)) long raw(long number, long a, long b, long c, long d)
{
    register long call __asm__("g1") = number;
    register long failed __asm__("g4");
    register long o0 __asm__("o0") = a, o1 __asm__("o1") = b, o2 __asm__("o2") = c;
    register long o3 __asm__("o3") = d;
    __asm__ volatile(TRAP : "+r"(o0), "+r"(o1), "=r"(failed) : "r"(call), "r"(o2), "r"(o3)
                     : "memory", "cc");
    return failed ? -o0 : o0;
}
#else
static __attribute__((noinline)) long raw(long number, long a, long b, long c, long d)
{
    register long call __asm__("r0") = number;
    register long r3 __asm__("r3") = a, r4 __asm__("r4") = b, r5 __asm__("r5") = c;
    register long r6 __asm__("r6") = d;
    __asm__ volatile("sc\n\tbns 1f\n\tneg 3,3\n1:"
                     : "+r"(call), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6)
                     :
                     : "memory", "cr0", "r7", "r8", "r9", "r10", "r11", "r12", "ctr", "xer");
    return r3;
}
#endif
#define RAW(NUMBER, A, B, C, D) raw(NUMBER, (long)(A), (long)(B), (long)(C), (long)(D))

static char buffer[256], other[256], hello[] = "hello", three[] = "abc";
static int ends[2], writes, seen;

static void handler(int number)
{
    seen++;
    if (writes)
        RAW(SYS_write, ends[1], three, 3, 0);
    else
        RAW(SYS_getpid, 0, 0, 0, 0);
}

/* Have the handler called soon, with the call restarted behind it or not. */
static void soon(int flags, int does_write)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
    struct itimerval timer = { .it_value = { 0, 60000 } };
    writes = does_write;
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &timer, 0);
}

/* Results are told in numbers that are the same on every run. */
static void check(int holds, const char *what)
{
    if (!holds)
        at += sprintf(at, "%d ! %s\n", step, what);
}

int main(void)
{
    struct iovec vectors[2] = { { buffer, 3 }, { other, 4 } };
    struct timespec wanted = { 0, 500000000 }, left = { 7, 7 };
    long r;

    pipe2(ends, O_NONBLOCK);
    CALL(r = RAW(SYS_write, ends[1], hello, 5, 0), "r", P(hello), 5ul);
    check(r == 5, "write");
    CALL(r = RAW(SYS_read, ends[0], buffer, 100, 0), "w", P(buffer), 5ul);
    check(r == 5 && !memcmp(buffer, hello, 5), "read");
    CALL(r = RAW(SYS_read, ends[0], buffer, 100, 0), "");
    check(r == -EAGAIN, "read of nothing");
    CALL(r = RAW(SYS_read, -1, buffer, 100, 0), "");
    check(r == -EBADF, "read of no file");
    CALL(r = RAW(1999, buffer, 100, 3, 4), "");
    check(r == -ENOSYS, "unknown");
    RAW(SYS_write, ends[1], hello, 5, 0);
    CALL(r = RAW(SYS_readv, ends[0], vectors, 2, 0), "rww", V(vectors), P(buffer), 3ul, P(other), 2ul);
    check(r == 5, "readv");
    RAW(SYS_fcntl, ends[0], F_SETFL, 0, 0);
    soon(0, 0);
    CALL(r = RAW(SYS_read, ends[0], buffer, 100, 0), "");
    check(r == -EINTR && seen == 1, "interrupted");
    soon(SA_RESTART, 1);
    CALL(r = RAW(SYS_read, ends[0], buffer, 100, 0), "rw", P(three), 3ul, P(buffer), 3ul);
    check(r == 3 && seen == 2 && !memcmp(buffer, three, 3), "restarted");
    soon(0, 0);
    CALL(r = RAW(SYS_nanosleep, &wanted, &left, 0, 0), "rw", V(wanted), V(left));
    check(r == -EINTR && seen == 3 && left.tv_sec == 0, "nanosleep");
    write(1, lines, at - lines);
    return 0;
}
