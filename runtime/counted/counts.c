/* Windows of counts: each thread records from its count INST_START on, up to INST_STOP, and of that
   as many counts as INST_SAMPLE says, then none for as many, and so on.

   The counter calls windowhook where one of these parts ends, before the branch or call that is counted. */
#include "../output.h"

enum { FRESH, BEFORE, INSIDE, BETWEEN, AFTER };
enum { LONGEST = 1 << 30 };     /* counts of one window of the counter */

#define counts inst_recorder.counts
#define window inst_thread.window

const int inst_has_windows = 1;

/* Return how long a phase lasts that begins at a count; 0: for ever. */
static uint64_t length_of(int phase, uint64_t begin)
{
    uint64_t length = 0;
    if (phase == BEFORE)
        length = counts.start;
    else if (phase == INSIDE)
        length = counts.on;
    else if (phase == BETWEEN)
        length = counts.off;
    if (phase == AFTER || phase == BEFORE || !counts.stop)
        return length;
    uint64_t left = counts.stop - begin;
    return length && length < left ? length : left;
}

static void enter(int phase)
{
    window.phase = phase;
    window.left = length_of(phase, window.end);
}

static void next_phase(void)
{
    if (counts.stop && window.end >= counts.stop)
        enter(AFTER);
    else
        enter(window.phase == INSIDE ? BETWEEN : INSIDE);
}

/* Return how much of the phase the counter counts next; 0: nothing that ends. */
static int take(void)
{
    int length = window.left < LONGEST ? window.left : LONGEST;
    window.left -= length;
    window.end += length;
    return length;
}

int inst_first_window(void)
{
    if (window.phase == FRESH)
        enter(counts.start ? BEFORE : INSIDE);
    return take();
}

int inst_is_outside(void)
{
    if (window.phase == FRESH)
        enter(counts.start ? BEFORE : INSIDE);
    return window.phase != INSIDE;
}

void windowhook(const struct inst_registers *registers)
{
    (void)registers;
    if (!window.left)
        next_phase();
    int length = take();
    if (length)
        inst_setsic(length);
    inst_paused();
}

/* Where the counter runs free it goes on below 0; in a window it is what is left of that. */
uint64_t inst_counted(void)
{
    return window.end - inst_getsic();
}
