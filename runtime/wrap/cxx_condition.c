/* void std::condition_variable::wait(std::unique_lock<std::mutex> &): the library calls
   pthread_cond_wait in code without probes.  A unique_lock begins with a pointer to its mutex,
   which is a pthread_mutex_t.  */
#include <inst/lock_order.h>

extern void __real__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *, void **);

struct after {
    void *mutex;
    uintptr_t place;
};

static void after(struct after *this)
{
    uintptr_t place = this->place;
    MUTEX_LOCKED(this->mutex);
}

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *condition, void **lock)
{
    uintptr_t place = inst_call_address(__builtin_return_address(0));
    UNLOCKS(*lock);
    /* Cancellation takes this path too, and then the program's destructors run. */
    __attribute__((cleanup(after))) struct after relock = { *lock, place };
    __real__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(condition, lock);
}
