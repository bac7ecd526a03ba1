#include <stdint.h>
#include <stdio.h>

extern uint32_t cells[];
void accesses(void);

int main(void)
{
    accesses();
    printf("%lx\n", (unsigned long)(uintptr_t)cells);
    return 0;
}
