/* thrd_create: pthread_create for functions that return int. */
#include <threads.h>

#include <inst/thread_order.h>

extern int __real_thrd_create(thrd_t *, thrd_start_t, void *);

static int begin(void *given)
{
    void *argument;
    thrd_start_t start = (thrd_start_t)inst_thread_begins(given, &argument);
    return start(argument);
}

int __wrap_thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    struct inst_thread_start *given = inst_thread_announce((void *)start, argument);
    if (!given)
        return __real_thrd_create(thread, start, argument);
    int error = __real_thrd_create(thread, begin, given);
    if (error != thrd_success)
        inst_thread_not_begun(given);
    return error;
}
