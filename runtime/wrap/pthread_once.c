/* pthread_once and call_once: what the one call did comes before every other caller's return. */
#include <pthread.h>
#include <threads.h>

#include <inst/lock_order.h>

extern int __real_pthread_once(pthread_once_t *control, void (*routine)(void));
extern void __real_call_once(once_flag *flag, void (*routine)(void));

/* The routine gets no argument, so this thread's call waits here; calls may be nested. */
static __thread struct call {
    struct call *outer;
    void *control;
    void (*routine)(void);
    uintptr_t place;
} *current;

static void run(void)
{
    struct call *call = current;
    call->routine();
    inst_leaves((uintptr_t)call->control, call->place);
}

/* On every exit path, exceptions and cancellation too. */
static void leave(struct call *call)
{
    current = call->outer;
}

int __wrap_pthread_once(pthread_once_t *control, void (*routine)(void))
{
    uintptr_t place = inst_call_address(__builtin_return_address(0));
    __attribute__((cleanup(leave))) struct call call = { current, control, routine, place };
    current = &call;
    int error = __real_pthread_once(control, run);
    if (!error)
        TAKES(control);
    return error;
}

void __wrap_call_once(once_flag *flag, void (*routine)(void))
{
    uintptr_t place = inst_call_address(__builtin_return_address(0));
    __attribute__((cleanup(leave))) struct call call = { current, flag, routine, place };
    current = &call;
    __real_call_once(flag, run);
    TAKES(flag);
}
