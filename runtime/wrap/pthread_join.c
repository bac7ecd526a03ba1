/* pthread_join: what a thread did comes before its join. */
#include <pthread.h>

#include <inst/thread_order.h>

extern int __real_pthread_join(pthread_t thread, void **result);

int __wrap_pthread_join(pthread_t thread, void **result)
{
    int error = __real_pthread_join(thread, result);
    if (!error)
        inst_thread_joined(thread);
    return error;
}
