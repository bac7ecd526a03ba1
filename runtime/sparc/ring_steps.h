/* What the library `ring` does on 32-bit SPARC, where there may be several processors. */
#ifndef INST_RING_STEPS_H
#define INST_RING_STEPS_H

#include <stdint.h>

enum { RING_MACHINE = 2 };

/* SWAP is atomic on every SPARC V8. */
static inline uint32_t ring_exchange(volatile uint32_t *at, uint32_t value)
{
    __asm__ __volatile__("swap [%1], %0" : "+r"(value) : "r"(at) : "memory");
    return value;
}

/* CASA with the space of the system's data, as LEON3 has it: GNU as does not take it for V8. */
static inline uint32_t ring_increment(volatile uint32_t *at)
{
    register volatile uint32_t *place __asm__("o1") = at;
    register uint32_t old __asm__("o2");
    register uint32_t new __asm__("o3");
    do {
        old = *at;
        new = old + 1;
        __asm__ __volatile__(".word 0xd7e2416a   ! casa [%%o1] 0xb, %%o2, %%o3"
                             : "+r"(new) : "r"(place), "r"(old) : "memory");
    } while (new != old);
    return old + 1;
}

/* Stores of TSO stay in order, and CASA waits for them. */
static inline void ring_fence(void)
{
    __asm__ __volatile__("" : : : "memory");
}

/* LEON3: bits 31 to 28 of its configuration register. */
static inline unsigned ring_cpu(void)
{
    uint32_t configuration;
    __asm__("rd %%asr17, %0" : "=r"(configuration));
    return configuration >> 28;
}

#endif
