/* Two system calls by `scv 0` of POWER9, the second one an error. */
#include <stdio.h>

static long vectored(long number, long a, long b, long c)
{
    register long r0 __asm__("r0") = number;
    register long r3 __asm__("r3") = a;
    register long r4 __asm__("r4") = b;
    register long r5 __asm__("r5") = c;
    __asm__ volatile(".machine push\n\t.machine \"power9\"\n\tscv 0\n\t.machine pop"
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5) :
                     : "memory", "lr", "ctr", "cr0", "cr1", "cr5", "cr6", "cr7", "xer",
                       "r6", "r7", "r8", "r9", "r10", "r11", "r12");
    return r3;
}

static char text[] = "direct\n";

int main(void)
{
    long written = vectored(4, 1, (long)text, 7);
    long failed = vectored(4, 99, (long)text, 3);
    printf("%ld %ld\n", written, failed);
    return 0;
}
