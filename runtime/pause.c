/* Parts of a run that are not recorded.

   Whether the process records is one fact for all threads (`off` of the recorder); each thread follows
   it in a place where no event of its own is half written, and states in its trace where it stops
   recording accesses and where it goes on.  In between the trace still has what orders threads,
   allocations, signals and system calls: accesses alone are left out (inst_wanted). */
#include "output.h"
#include "segments.h"

enum { UNREAD, READ };
#define pauses inst_recorder.pauses
#define counts inst_recorder.counts

static int can_pause(void)
{
    return &inst_format && inst_format.gap;
}

volatile uint32_t inst_own_turns = 1;

/* INST_START is a number of counts, or `paused`. */
static void read_start(void)
{
    const char *start = inst_environment("INST_START");
    if (!start || !*start)
        return;
    if (!inst_differ(start, "paused", sizeof "paused"))
        pauses.off = 1;
    else if (*start < '0' || *start > '9')
        inst_message("INST_START is neither `paused` nor a number, so it is ignored: ", start, 0);
    else
        inst_read_number("INST_START", &counts.start);
}

static void read_variables(void)
{
    read_start();
    inst_read_number("INST_STOP", &counts.stop);
    inst_read_pair("INST_SAMPLE", &counts.on, &counts.off);
    if (counts.stop && counts.stop <= counts.start)
        inst_message("INST_STOP is not above INST_START: nothing is recorded", "", 0);
    int is_counted = counts.start || counts.stop || counts.on;
    if (!can_pause() && (pauses.off || is_counted))
        inst_message("INST_START, INST_STOP and INST_SAMPLE are ignored: "
                     "this hook library cannot pause", "", 0);
    else if (is_counted && !inst_has_windows)
        inst_message("INST_START, INST_STOP and INST_SAMPLE count nothing: "
                     "compile and link with --inst-counts", "", 0);
    if (!can_pause())
        pauses.off = 0;
}

/* Read the variables once; called by slow paths only. */
static void begin(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock_process();
    if (pauses.state == UNREAD) {
        read_variables();
        pauses.state = READ;
    }
    inst_unlock_process();
    inst_unblock_signals(mask);
}

void inst_read_windows(void)
{
    if (inst_unlikely(pauses.state == UNREAD))
        begin();
}

/* Return whether the thread is to record nothing. */
static int is_off(void)
{
    inst_read_windows();
    return pauses.off || (inst_has_windows && can_pause() && inst_is_outside());
}

/* Write that the thread stops recording, or goes on. */
static void put_mark(int off, const char *source)
{
    unsigned char *at = inst_place_slow();
    struct inst_thread_state *thread = &inst_thread;
    thread->paused = off;
    thread->skips = 0;
    int64_t count = inst_has_windows ? (int64_t)inst_counted() : -1;
    inst_commit_slow(inst_format.gap(at, off ? "pause" : "resume", source, count));
    if (!thread->nested_end && !inst_is_busy(thread))
        inst_set_limit(thread);
}

/* Called with signals blocked. */
static void turn(int off, const char *source)
{
    put_mark(off, source);
    if (INST_RECORDS && off)
        inst_segments_pause();
    else if (INST_RECORDS)
        inst_segments_resume();
}

/* Do as the process does.  A child of fork begins a trace of its own, in which nothing is stated. */
static void follow(const char *source)
{
    struct inst_thread_state *thread = &inst_thread;
    uint32_t mask[2];
    inst_block_signals(mask);
    if (!thread->block || thread->forking)
        inst_commit_slow(inst_place_slow());
    if (thread->paused != is_off())
        turn(!thread->paused, source);
    inst_unblock_signals(mask);
}

int inst_paused(void)
{
    struct inst_thread_state *thread = &inst_thread;
    uint32_t turns = *pauses.turns;
    inst_ordered();
    if (inst_unlikely(thread->paused != is_off()))
        follow(0);
    thread->turns = pauses.turns;
    inst_ordered();
    thread->skips = thread->paused && !thread->forking ? turns : 0;
    return thread->paused;
}

int inst_has_to_turn(void)
{
    return inst_thread.paused != is_off();
}

void inst_turn_back(int off)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    if (inst_thread.paused != off)
        put_mark(off, 0);
    inst_unblock_signals(mask);
}

void inst_turn(int off)
{
    pauses.off = off;
    inst_ordered();
    ++*pauses.turns;
}

/* Called by programs: inst/annotate.h. */
static void turn_process(int off, const char *source)
{
    inst_join();
    if (!can_pause())
        return;
    inst_read_windows();
    inst_turn(off);
    if (inst_thread.paused != is_off())
        follow(source);
}

#pragma GCC visibility push(hidden)
void inst_annotate_pause(const char *source);
void inst_annotate_resume(const char *source);
#pragma GCC visibility pop

void inst_annotate_pause(const char *source)
{
    turn_process(1, source);
}

void inst_annotate_resume(const char *source)
{
    turn_process(0, source);
}
