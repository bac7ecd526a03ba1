/* Atomic, double-word and state-register accesses in inline assembly.
 * Targets: sparc-v8 */
#include <stdint.h>
#include <stdio.h>

static uint32_t words[8];
static unsigned char bytes[8];
static uint64_t wide[4];

static uint32_t swapped(uint32_t *at, uint32_t value)
{
    __asm__ volatile("swap [%1], %0" : "+r"(value) : "r"(at) : "memory");
    return value;
}

static unsigned test_and_set(unsigned char *at)
{
    unsigned old;
    __asm__ volatile("ldstub [%1], %0" : "=r"(old) : "r"(at) : "memory");
    return old;
}

static void doubled(const uint64_t *from, uint64_t *to)
{
    __asm__ volatile("ldd [%0], %%o4\n\tadd %%o5, 1, %%o5\n\tstd %%o4, [%1]" ::"r"(from), "r"(to)
                     : "o4", "o5", "memory");
}

static uint32_t state(void)
{
    uint32_t kept[2] = {0, 0};
    __asm__ volatile("st %%fsr, [%0]\n\tld [%0], %%fsr\n\tst %%fsr, [%0 + 4]" ::"r"(kept) : "memory");
    return kept[0] ^ kept[1];
}

static void cleared(uint32_t *at)
{
    __asm__ volatile("st %%g0, [%0 + %1]\n\tstb %%g0, [%0]" ::"r"(at), "r"(4) : "memory");
}

static uint32_t annulled(const uint32_t *at, int count)
{
    uint32_t sum = 0, value;
    __asm__ volatile("1:\tld [%2], %1\n\tadd %0, %1, %0\n\tsubcc %3, 1, %3\n\tbne,a 1b\n\t add %2, 4, %2\n\t"
                     "cmp %0, 0\n\tbe,a 2f\n\t ld [%2], %0\n2:\tba 3f\n\t ld [%2 - 4], %1\n3:\tadd %0, %1, %0"
                     : "+&r"(sum), "=&r"(value), "+&r"(at), "+&r"(count)::"cc", "memory");
    return sum;
}

int main(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 8; i++) {
        words[i] = i * 0x11111;
        bytes[i] = (unsigned char)(i * 3);
    }
    wide[1] = 0x123456789abcdef0ULL;
    for (int i = 0; i < 6; i++) {
        sum = sum * 31 + swapped(words + i, sum);
        sum += test_and_set(bytes + (i & 1));
        doubled(wide + 1, wide + 2);
        wide[1] ^= wide[2] << 5;
        sum += annulled(words + 1, i + 1);
    }
    cleared(words + 5);
    for (int i = 0; i < 8; i++)
        sum = sum * 17 + words[i] + bytes[i] + (uint32_t)(wide[i & 3] >> 7);
    printf("%u %u\n", sum, state());
    return 0;
}
