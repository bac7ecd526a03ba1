/* std::thread: the library's part of making and joining one, which calls pthread_create and
   pthread_join in code without probes.

   A thread's state is an object whose virtual functions are, by the C++ ABI for Itanium that all
   targets follow: the destructor, the destructor that frees, and run.  An object of ours takes
   its place, reports, and passes the call on.  */
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include <inst/thread_order.h>

typedef void (*method)(void *this);

enum { FREE = 1, RUN = 2 };

struct state {
    const method *methods;
};

struct stand_in {
    const method *methods;
    struct state *real;
    struct inst_thread_start *given;
};

static void destroy(void *this)
{
    struct stand_in *stand_in = this;
    stand_in->real->methods[FREE](stand_in->real);
    munmap(stand_in, sizeof *stand_in);
}

static void run(void *this)
{
    struct stand_in *stand_in = this;
    void *real;
    method start = (method)inst_thread_begins(stand_in->given, &real);
    start(real);
}

static const method methods[] = { destroy, destroy, run };

struct begun {
    struct state **state;
    struct stand_in *stand_in;
};

/* The library throws if there is no thread; it takes over the state if there is one. */
static void after(struct begun *begun)
{
    if (*begun->state != (struct state *)begun->stand_in)
        return;
    *begun->state = begun->stand_in->real;
    inst_thread_not_begun(begun->stand_in->given);
    munmap(begun->stand_in, sizeof *begun->stand_in);
}

/* void std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)()) */
#define START(prefix) prefix##_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE

extern void START(__real_)(void *, struct state **, void (*)(void));

void START(__wrap_)(void *this, struct state **state, void (*depends)(void))
{
    struct stand_in *stand_in = mmap(0, sizeof *stand_in, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct inst_thread_start *given = 0;
    if (stand_in != MAP_FAILED)
        given = inst_thread_announce((void *)(*state)->methods[RUN], *state);
    if (!given) {
        START(__real_)(this, state, depends);
        return;
    }
    *stand_in = (struct stand_in){ methods, *state, given };
    __attribute__((cleanup(after))) struct begun begun = { state, stand_in };
    *state = (struct state *)stand_in;
    START(__real_)(this, state, depends);
}

/* void std::thread::join(): an object is its thread's number, which joining clears. */
extern void __real__ZNSt6thread4joinEv(void *);

void __wrap__ZNSt6thread4joinEv(void *this)
{
    pthread_t thread = *(pthread_t *)this;
    __real__ZNSt6thread4joinEv(this);
    inst_thread_joined(thread);
}
