/* System calls and spin locks as 64-bit SPARC Linux has them. */
#ifndef INST_SYSCALL_H
#define INST_SYSCALL_H

#include <stdint.h>
#include <asm/unistd.h>

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
    __asm__ __volatile__("ta 0x6d\n\t"
                         "bcc,pt %%xcc, 1f\n\t"
                         " nop\n\t"
                         "sub %%g0, %%o0, %%o0\n"
                         "1:"
                         : "+r"(r0), "+r"(r1), "+r"(call)
                         : "r"(r2), "r"(r3), "r"(r4), "r"(r5)
                         : "memory", "cc", "o7");
    return r0;
}

#define INST_OPEN_LARGE 0

static inline void inst_lock(volatile unsigned char *lock)
{
    unsigned taken;
    do
        __asm__ __volatile__("ldstub [%1], %0" : "=r"(taken) : "r"(lock) : "memory");
    while (taken);
}

static inline void inst_unlock(volatile unsigned char *lock)
{
    __asm__ __volatile__("membar #StoreStore|#LoadStore\n\tstb %%g0, [%0]"
                         :
                         : "r"(lock)
                         : "memory");
}

#endif
