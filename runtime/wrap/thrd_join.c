/* thrd_join: what a thread did comes before its join. */
#include <threads.h>

#include <inst/thread_order.h>

extern int __real_thrd_join(thrd_t thread, int *result);

int __wrap_thrd_join(thrd_t thread, int *result)
{
    int error = __real_thrd_join(thread, result);
    if (!error)
        inst_thread_joined(thread);
    return error;
}
