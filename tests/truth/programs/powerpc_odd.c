/* Byte-reversed, converting, updating, reserving and block-clearing accesses in inline assembly.
 * Targets: ppc32 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t words[16];
static uint16_t halves[16];
static double reals[4];
static float singles[4];
static unsigned char lines[512] __attribute__((aligned(256)));

static void reversed(void)
{
    uint32_t word, half;
    __asm__ volatile("lwbrx %0,0,%1" : "=r"(word) : "r"(words + 1) : "memory");
    __asm__ volatile("stwbrx %0,%1,%2" ::"r"(word + 1), "b"(words), "r"(8) : "memory");
    __asm__ volatile("lhbrx %0,%1,%2" : "=r"(half) : "b"(halves), "r"(4) : "memory");
    __asm__ volatile("sthbrx %0,0,%1" ::"r"(half + 1), "r"(halves + 3) : "memory");
}

static uint32_t updating(void)
{
    uint32_t *at = words + 4, value, sum = 0;
    uint16_t *half = halves;
    for (int i = 0; i < 3; i++) {
        __asm__ volatile("lwzu %0,4(%1)" : "=r"(value), "+b"(at)::"memory");
        sum += value;
        __asm__ volatile("stwux %2,%0,%1" : "+b"(at) : "r"(4), "r"(value ^ 5) : "memory");
        __asm__ volatile("lhaux %0,%1,%2" : "=r"(value), "+b"(half) : "r"(2) : "memory");
        __asm__ volatile("sthu %1,2(%0)" : "+b"(half) : "r"(value + 1) : "memory");
        sum = sum * 3 + value;
    }
    return sum;
}

static void converting(void)
{
    double *d = reals;
    float *f = singles;
    double held;
    __asm__ volatile("lfdu %0,8(%1)" : "=d"(held), "+b"(d)::"memory");
    __asm__ volatile("fctiwz %0,%0\n\tstfiwx %0,0,%1" : "+d"(held) : "r"(words + 12) : "memory");
    __asm__ volatile("lfsux %0,%1,%2" : "=d"(held), "+b"(f) : "r"(4) : "memory");
    __asm__ volatile("stfsu %1,4(%0)" : "+b"(f) : "d"(held) : "memory");
    __asm__ volatile("stfdux %1,%0,%2" : "+b"(d) : "d"(held), "r"(8) : "memory");
}

static int reserving(uint32_t *at, uint32_t add)
{
    uint32_t value;
    int tries = 0;
    __asm__ volatile("1: lwarx %0,0,%2\n\taddi %1,%1,1\n\tadd %0,%0,%3\n\tstwcx. %0,0,%2\n\tbne- 1b"
                     : "=&r"(value), "+r"(tries) : "r"(at), "r"(add) : "cr0", "memory");
    __asm__ volatile("stwcx. %1,0,%0" ::"r"(at), "r"(0) : "cr0", "memory"); /* nothing reserved */
    return tries;
}

int main(void)
{
    for (uint32_t i = 0; i < 16; i++) {
        words[i] = i * 0x01020304;
        halves[i] = (uint16_t)(i * 0x1f0);
        singles[i & 3] = (float)i / 4;
        reals[i & 3] = i * 2.5;
    }
    reversed();
    uint32_t sum = updating();
    converting();
    sum += (uint32_t)reserving(words + 2, 77);
    memset(lines, 1, sizeof lines);
    __asm__ volatile("dcbz 0,%0" ::"r"(lines + 256) : "memory");
    for (int i = 192; i < 448; i++)
        sum = sum * 31 + lines[i];
    for (int i = 0; i < 16; i++)
        sum = sum * 31 + words[i] + halves[i];
    printf("%u %.3f %.3f %d %d\n", sum, reals[2], singles[2], lines[255], lines[256]);
    return 0;
}
