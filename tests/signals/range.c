/* Has the C library write memory, until a signal leaves that or ends the program. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static sigjmp_buf place;
static char memory[256];

static void leave(int signal)
{
    (void)signal;
    siglongjmp(place, 1);
}

__attribute__((noipa)) void write_memory(volatile size_t size)
{
    memset(memory, 1, size);
}

int main(void)
{
    signal(SIGALRM, leave);
    if (!sigsetjmp(place, 1))
        write_memory(200);
    memset(memory, 2, sizeof memory);
    puts("end");
    return 0;
}
