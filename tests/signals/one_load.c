/* A program with one load at a known place, and a handler that does nothing. */
#include <signal.h>
static int cell = 5;
static void handler(int number)
{
    (void)number;
}
__attribute__((noinline)) int load_once(volatile int *from)
{
    return *from;
}
int main(void)
{
    signal(SIGUSR1, handler);
    return load_once(&cell) != 5;
}
