/* The software instruction counter: backward branches and calls until the next window.

   A thread's counter starts at the value that inithook's setsic set, and runs down; at 0
   windowhook is called, once, and it may set the counter again.  Without setsic it runs from 0
   to negative numbers.  The stored number is one less than is left, so that the fast path finds
   the end by the sign; stored with it is what to add to get the number that getsic returns.  */
#include "registers.h"

#include "countdown.h"

#pragma weak windowhook

enum { FRESH, ARMED, SPENT };

#define counter inst_thread.counter
#define first_limit inst_recorder.first_limit

/* Count without end from a number that getsic is to return. */
static void run_free(uint32_t number)
{
    counter.left = INT32_MAX;
    counter.offset = number - INT32_MAX;
    counter.state = SPENT;
}

static void arm(int32_t limit)
{
    counter.left = limit - 1;
    counter.offset = 1;
    counter.state = ARMED;
}

/* The first thread may have counted before it had its thread-local storage. */
static int goes_on(void)
{
    struct inst_counter *early = inst_early(&counter);
    if (!early || early->state == FRESH)
        return 0;
    counter = *early;
    early->state = FRESH;
    return 1;
}

/* Return how many counts the thread's first window has: what inithook has set, or the runtime. */
static int32_t length_of_first(void)
{
    if (!inst_has_windows)
        return first_limit;
    inst_read_windows();
    return inst_first_window();
}

/* A shared object's first count does not find the counter yet. */
#ifdef __PIE__
static int joins_only(void)
{
    return 0;
}
#define COUNTS 1
#else
static int joins_only(void)
{
    int has_to = !inst_has_joined;
    inst_join();
    return has_to && counter.state != FRESH && --counter.left >= 0;
}
#define COUNTS inst_likely(inst_has_joined)
#endif

/* The counter has run below 0: the thread's first event, the end of a window, or neither.  Return
   whether it is the end of a window. */
int inst_window_ended(void)
{
    if (joins_only())
        return 0;
    if (counter.state == FRESH && goes_on()) {
        if (--counter.left >= 0)
            return 0;
    } else if (counter.state == FRESH) {
        int32_t first = length_of_first();
        if (first <= 0) {
            run_free(-1);
            return 0;
        }
        arm(first);
        if (--counter.left >= 0)
            return 0;
    }
    int reached = counter.state == ARMED;
    run_free((uint32_t)counter.left + counter.offset);
    return reached && windowhook;
}

void inst_call_windowhook(const struct inst_registers *registers)
{
    struct inst_running before = inst_begin_hook(INST_WINDOWHOOK);
    windowhook(registers);
    inst_end_hook(before);
}

/* A windowhook that does not read the registers is not passed them. */
__attribute__((used)) void inst_window_slow_body(void)
{
    if (inst_window_ended())
        inst_call_windowhook(0);
}
void inst_window_slow(void);
INST_PRESERVING(inst_window_slow);

/* Called by sites, if the library uses it. */
__attribute__((noinline, noclone)) void inst_count(void)
{
    if (!COUNTS || inst_unlikely(INST_COUNT(&counter.left, count) < 0))
        inst_window_slow();
}

/* Called by glue instead if windowhook reads the program's registers: below 0, glue saves
   them all and calls inst_window. */
__attribute__((noinline, noclone)) int32_t inst_count_down(void)
{
    return COUNTS ? INST_COUNT(&counter.left, down) : -1;
}

int32_t *inst_counter_left(void)
{
    inst_join();
    return &counter.left;
}

int inst_getsic(void)
{
    inst_join();
    if (counter.state == FRESH)
        return first_limit;
    return (uint32_t)counter.left + counter.offset;
}

void inst_setsic(int number)
{
    inst_join();
    if (!first_limit && !inst_has_windows)
        first_limit = number;
    if (number > 0)
        arm(number);
    else
        run_free(number);
}
