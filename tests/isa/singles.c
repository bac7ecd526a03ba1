/* Print for each register's content of the input what the runtime says that it stores as a single, what
   stfs stores, and for that single the content that the runtime says and that lfs loads. */
#include <inttypes.h>
#include <powerpc/singles.h>
#include <stdio.h>

int main(void)
{
    uint64_t held;
    while (scanf("%" SCNx64, &held) == 1) {
        uint32_t stored;
        uint64_t loaded;
        __asm__ __volatile__("lfd 0, 0(%0)\n\tstfs 0, 0(%1)\n\tlfs 0, 0(%1)\n\tstfd 0, 0(%2)"
                             : : "b"(&held), "b"(&stored), "b"(&loaded) : "memory", "fr0");
        printf("%x %x %" PRIx64 " %" PRIx64 "\n", single_of(held), stored, double_of(stored), loaded);
    }
    return 0;
}
