/* System calls, spin locks and, where a register has 32 bits, 64-bit arguments as PowerPC Linux
   has them. */
#ifndef INST_SYSCALL_H
#define INST_SYSCALL_H

#include <stdint.h>
#include <asm/unistd.h>

/* Return the result, or the negated error number. */
static inline long inst_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long call __asm__("r0") = number;
    register long r3 __asm__("r3") = a;
    register long r4 __asm__("r4") = b;
    register long r5 __asm__("r5") = c;
    register long r6 __asm__("r6") = d;
    register long r7 __asm__("r7") = e;
    register long r8 __asm__("r8") = f;
    __asm__ __volatile__("sc\n\t"
                         "bns+ 1f\n\t"
                         "neg 3, 3\n"
                         "1:"
                         : "+r"(call), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8)
                         :
                         : "memory", "cr0", "r9", "r10", "r11", "r12", "ctr", "xer");
    return r3;
}

/* 64-bit arguments are passed in aligned pairs of registers. */
#define INST_FTRUNCATE(fd, high, low) inst_syscall(__NR_ftruncate64, fd, 0, high, low, 0, 0)
#define INST_PWRITE(fd, from, size, high, low) \
    inst_syscall(__NR_pwrite64, fd, from, size, 0, high, low)
#define INST_PREAD(fd, to, size, high, low) inst_syscall(__NR_pread64, fd, to, size, 0, high, low)
#define INST_OPEN_LARGE 0x10000

/* The kernel itself knows where to go when a handler is over: it takes no `restorer`. */
#define INST_SET_ACTION(number, action, before, restorer) \
    ((void)(restorer),                                    \
     inst_syscall(__NR_rt_sigaction, number, (long)(action), (long)(before), 8, 0, 0))

/* Bytes that pipe writes: two descriptors. */
enum { INST_PIPE_BYTES = 8 };

static inline void inst_lock(volatile uint32_t *lock)
{
    uint32_t old;
    do
        __asm__ __volatile__("lwarx %0, 0, %1\n\t"
                             "cmpwi %0, 0\n\t"
                             "bne 1f\n\t"
                             "stwcx. %2, 0, %1\n\t"
                             "beq 1f\n\t"
                             "li %0, 1\n"
                             "1:\tisync"
                             : "=&r"(old)
                             : "r"(lock), "r"(1)
                             : "memory", "cr0");
    while (old);
}

static inline void inst_unlock(volatile uint32_t *lock)
{
    __asm__ __volatile__("sync" : : : "memory");
    *lock = 0;
}

#endif
