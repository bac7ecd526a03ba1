/* A function that runs before constructors fills memory from a VSX register. */
#include <stdio.h>
typedef long long pair __attribute__((vector_size(16)));
static long long made[16];
__attribute__((noinline)) static void fill(long long value)
{
    pair both;
    __asm__("mtvsrd %x0,%1\n\txxspltd %x0,%x0,0" : "=d"(both) : "r"(value));
    for (int n = 0; n < 16; n += 2)
        __asm__ volatile("stxvd2x %x0,0,%1" : : "d"(both), "r"(made + n) : "memory");
}
static void early(void) { fill(1994); }
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = early;
int main(void)
{
    int wrong = 0;
    for (int n = 0; n < 16; n++)
        wrong += made[n] != 1994;
    printf("%d\n", wrong);
    return wrong != 0;
}
