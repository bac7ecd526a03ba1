/* A handler clears the flag that an interrupted ldstub has set. */
#include <signal.h>
#include <stdatomic.h>
static atomic_flag flag;
static void handler(int number)
{
    (void)number;
    atomic_flag_clear_explicit(&flag, memory_order_relaxed);
}
int main(void)
{
    signal(SIGUSR1, handler);
    return atomic_flag_test_and_set_explicit(&flag, memory_order_relaxed)
           || atomic_flag_test_and_set_explicit(&flag, memory_order_relaxed);
}
