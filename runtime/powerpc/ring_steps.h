/* What the library `ring` does on 32-bit PowerPC, where there may be several processors. */
#ifndef INST_RING_STEPS_H
#define INST_RING_STEPS_H

#include <stdint.h>

enum { RING_MACHINE = 20 };

static inline uint32_t ring_exchange(volatile uint32_t *at, uint32_t value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

static inline uint32_t ring_increment(volatile uint32_t *at)
{
    return __atomic_add_fetch(at, 1, __ATOMIC_RELAXED);
}

static inline void ring_fence(void)
{
    __asm__ __volatile__("sync" : : : "memory");
}

/* PIR of Book E. */
static inline unsigned ring_cpu(void)
{
    uint32_t number;
    __asm__("mfspr %0, 286" : "=r"(number));
    return number;
}

#endif
