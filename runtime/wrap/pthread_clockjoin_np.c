/* pthread_clockjoin_np: what a thread did comes before its join. */
#include <pthread.h>

#include <inst/thread_order.h>

extern int __real_pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                       const struct timespec *until);

int __wrap_pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                const struct timespec *until)
{
    int error = __real_pthread_clockjoin_np(thread, result, clock, until);
    if (!error)
        inst_thread_joined(thread);
    return error;
}
