/* System calls and spin locks as SPARC Linux has them, and arguments of 64 bits. */
#ifndef INST_SYSCALL_H
#define INST_SYSCALL_H

#include <stdint.h>
#include <asm/unistd.h>

#ifdef __arch64__
#define INST_TRAP "ta 0x6d"
#define INST_IF_DONE "bcc,pt %%xcc, 1f"
#define INST_RELEASE "membar #StoreStore|#LoadStore\n\t"
#define INST_OPEN_LARGE 0
#else
#define INST_TRAP "ta 0x10"
#define INST_IF_DONE "bcc 1f"
#define INST_RELEASE "stbar\n\t"
#define INST_OPEN_LARGE 0x40000
#define INST_FTRUNCATE(fd, high, low) inst_syscall(__NR_ftruncate64, fd, high, low, 0, 0, 0)
#define INST_PWRITE(fd, from, size, high, low) \
    inst_syscall(__NR_pwrite64, fd, from, size, high, low, 0)
#define INST_PREAD(fd, to, size, high, low) inst_syscall(__NR_pread64, fd, to, size, high, low, 0)
#endif

/* `restorer` is where the kernel goes when a handler is over, less what it adds. */
#define INST_SET_ACTION(number, action, before, restorer) \
    inst_syscall(__NR_rt_sigaction, number, (long)(action), (long)(before), restorer, 8, 0)

/* Bytes that pipe writes: the descriptors are returned in registers. */
enum { INST_PIPE_BYTES = 0 };

/* Return the result, or the negated error number. */
static inline long inst_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long call __asm__("g1") = number;
    register long r0 __asm__("o0") = a;
    register long r1 __asm__("o1") = b;
    register long r2 __asm__("o2") = c;
    register long r3 __asm__("o3") = d;
    register long r4 __asm__("o4") = e;
    register long r5 __asm__("o5") = f;
    __asm__ __volatile__(INST_TRAP "\n\t" INST_IF_DONE "\n\t"
                         " nop\n\t"
                         "sub %%g0, %%o0, %%o0\n"
                         "1:"
                         : "+r"(r0), "+r"(r1), "+r"(call)
                         : "r"(r2), "r"(r3), "r"(r4), "r"(r5)
                         : "memory", "cc", "o7");
    return r0;
}

/* ldstub sets a byte: the first of the word. */
static inline void inst_lock(volatile uint32_t *lock)
{
    unsigned taken;
    do
        __asm__ __volatile__("ldstub [%1], %0" : "=r"(taken) : "r"(lock) : "memory");
    while (taken);
}

static inline void inst_unlock(volatile uint32_t *lock)
{
    __asm__ __volatile__(INST_RELEASE "stb %%g0, [%0]" : : "r"(lock) : "memory");
}

#endif
