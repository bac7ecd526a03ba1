/* pthread_create, and what the other functions that make threads need. */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include <inst/handlers.h>
#include <inst/thread_order.h>

extern int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct inst_thread_start {
    void *start, *argument;
    uintptr_t token;
};

enum { ROUNDS = 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */ };

static pthread_key_t last_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A thread ends when all its destructors have run: in the last of their rounds. */
static void thread_ends(void *round)
{
    if ((uintptr_t)round < ROUNDS && !pthread_setspecific(last_key, (char *)round + 1))
        return;
    inst_annotate_hint("happens_before", (uintptr_t)pthread_self() | 1, 0, "thread ends");
    inst_thread_ended();
}

static void make_key(void)
{
    pthread_key_create(&last_key, thread_ends);
}

struct inst_thread_start *inst_thread_announce(void *start, void *argument)
{
    /* Not from malloc, so that the program's heap does not change. */
    int error = errno;
    struct inst_thread_start *given = mmap(0, sizeof *given, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = error;
    if (given == MAP_FAILED)
        return 0;
    pthread_once(&once, make_key);
    given->start = start;
    given->argument = argument;
    given->token = inst_next_token();
    inst_threads_begin();
    inst_annotate_hint("happens_before", given->token, 0, "thread created");
    return given;
}

void inst_thread_not_begun(struct inst_thread_start *given)
{
    munmap(given, sizeof *given);
}

void *inst_thread_begins(struct inst_thread_start *given, void **argument)
{
    void *start = given->start;
    *argument = given->argument;
    inst_thread_begun(given->token / 2 + 1, start);     /* tokens are 3, 5, 7 ... */
    inst_annotate_hint("happens_after", given->token, 0, "thread begins");
    munmap(given, sizeof *given);
    pthread_setspecific(last_key, (void *)1);
    return start;
}

static void *begin(void *given)
{
    void *argument;
    void *(*start)(void *) = (void *(*)(void *))inst_thread_begins(given, &argument);
    return start(argument);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    struct inst_thread_start *given = inst_thread_announce((void *)start, argument);
    if (!given)
        return __real_pthread_create(thread, attributes, start, argument);
    int error = __real_pthread_create(thread, attributes, begin, given);
    if (error)
        inst_thread_not_begun(given);
    return error;
}
