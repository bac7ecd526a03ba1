/* Leave a hook half-way, in every way a signal handler can, as if a signal had come there; and let
   two signals come into one. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <inst/runtime.h>

void touch(volatile uint32_t *cell);

enum { HANDLER = 0x40000000 };

static sigjmp_buf again;
static volatile uint32_t handled = HANDLER;
static volatile int jumps, events = 3;

/* In line: what hooks take for a handler's is a stack much deeper than the one left. */
__attribute__((always_inline)) static inline void count(uint32_t from, uint32_t to)
{
    volatile uint32_t cell;
    for (cell = from; cell < to; cell++)
        touch(&cell);
}

static void handler(int number)
{
    (void)number;
    for (int n = 0; n < events; n++) {
        touch(&handled);
        handled++;
    }
    if (jumps)
        siglongjmp(again, 1);
}

/* What a hook does until it has begun to write; deep in the stack. */
__attribute__((noinline)) static void half_a_hook(int depth, int with_signal)
{
    volatile char room[512];
    room[0] = depth;
    if (depth) {
        half_a_hook(room[0] - 1, with_signal);
        return;
    }
    unsigned char *place = inst_place();
    if (place)
        memset(place + 1, 'x', 30);
    if (with_signal)
        raise(SIGUSR1);
    siglongjmp(again, 1);
}

/* A hook that is interrupted before it ends its event, and once more in the middle of inst_commit,
   by a handler that fills the chunk. */
__attribute__((noinline)) static void interrupted_twice(void)
{
    struct inst_thread_state *thread = &inst_thread;
    unsigned char *place = inst_place();
    if (!place)
        return;
    raise(SIGUSR1);
    thread->cursor = place;
    events = 6000;
    raise(SIGUSR1);
    events = 3;
    inst_retry_done(inst_retry(place));
}

/* A hook that is interrupted before it takes the number of its event. */
__attribute__((noinline)) static void interrupted_before_its_number(void)
{
    uint32_t first = inst_thread.next_id;
    unsigned char *place = inst_place();
    if (!place)
        return;
    raise(SIGUSR1);
    uint32_t number = inst_slow_id();
    printf("%d\n", (int)(number - first));
    inst_retry_done(inst_retry(place));
}

int main(int argc, char **argv)
{
    int with_signal = argc > 1 && strcmp(argv[1], "plain");
    jumps = argc > 1 && !strcmp(argv[1], "jump");
    signal(SIGUSR1, handler);
    count(0, 10);
    if (argc > 1 && !strcmp(argv[1], "number")) {
        interrupted_before_its_number();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "twice")) {
        interrupted_twice();
        count(10, 500);
        return 0;
    }
    for (volatile int round = 0; round < 20; round++) {
        if (!sigsetjmp(again, 1))
            half_a_hook(round % 7, with_signal);
        count(10 + 500 * round, 510 + 500 * round);
        if (inst_thread.busy != INST_IDLE)
            printf("still busy in round %d\n", round);
    }
    printf("%u\n", (unsigned)(handled - HANDLER));
    return 0;
}
