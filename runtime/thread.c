/* Events that the fast path has no space for: the first of a thread, the first of a chunk, and
   those of a hook that runs in a signal handler and interrupted another hook.

   A hook marks its thread busy with its stack pointer.  A hook that finds the mark runs in a handler,
   below the interrupted one, unless a handler jumped out of the hook that left the mark.  It writes
   after the space of the interrupted event, which the interrupted hook may write to at any time.  The
   interrupted hook detects at its end that there was another, and fills the rest of its space with
   what readers ignore.  Until then the space ends in zeros, or holds an event whose first byte is
   zero, which readers skip.  So whenever the program is killed, no partial event is read. */
#include "calls.h"
#include "process.h"
#include "segments.h"

#include <thread.h>

__thread struct inst_thread_state inst_own_thread = { .busy = INST_NOT_STARTED };

#ifdef __PIE__
static __thread struct inst_extra own_extra;
#endif

/* Return what the thread has besides; where there is no memory for it, threads share it. */
struct inst_extra *inst_extra(void)
{
    inst_join();
    struct inst_thread_state *thread = &inst_thread;
    if (thread->extra)
        return thread->extra;
#ifdef __PIE__
    thread->extra = &own_extra;
#else
    static struct inst_extra spare;
    thread->extra = inst_map(sizeof *thread->extra);
    if (!thread->extra)
        return &spare;
    thread->extra->is_mapped = 1;
#endif
    return thread->extra;
}

/* The thread ends. */
void inst_forget_extra(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    struct inst_extra *extra = inst_thread.extra;
    inst_thread.extra = 0;
    if (extra && extra->is_mapped)
        inst_syscall(__NR_munmap, (long)extra, sizeof *extra, 0, 0, 0, 0);
    inst_unblock_signals(mask);
}

enum { ON_ALTERNATE_STACK = 1 };

/* Return whether the busy hook will never return: its frame lies below ours.  The slow path's own frames
   lie below the hook's; a handler's lie much lower, below what the kernel has saved. */
static int abandoned(const struct inst_thread_state *thread)
{
    struct {
        void *base;
        int flags;
        unsigned long size;
    } alternate = { 0, 0, 0 };
    if ((uintptr_t)__builtin_frame_address(0) + INST_STACK_SLACK < thread->busy)
        return 0;
    inst_syscall(__NR_sigaltstack, 0, (long)&alternate, 0, 0, 0, 0);
    return !(alternate.flags & ON_ALTERNATE_STACK);
}

/* Remove an event that may be partly written.  Its first byte is cleared first and the others from
   the last one on, so that at any time readers find the start of an incomplete event, then zeros;
   the last byte of the space may end a line. */
static void erase(unsigned char *room)
{
    volatile unsigned char *byte = room;
    byte[0] = 0;
    for (unsigned n = inst_format.reserve - 2u; n > 0; n--)
        byte[n] = 0;
}

static void fill_room(unsigned char *room)
{
    erase(room);
    inst_format.fill(room, room + inst_format.reserve);
}

/* Fill a space with what readers ignore: its hook has written nothing there, or never
   returns. */
void inst_clear_room(unsigned char **place)
{
    if (!*place)
        return;
    fill_room(*place);
    inst_ordered();
    *place = 0;
}

/* The same before an exec: if that fails, the hook returns, and writes its event once more elsewhere. */
void inst_leave_room(struct inst_block *block)
{
    if (!block->place)
        return;
    fill_room(block->place);
    block->place_is_out = 1;
}

/* Continue after the events that interrupted a hook. */
static void settle(struct inst_thread_state *thread)
{
    struct inst_block *block = thread->block;
    if (thread->nested_end) {
        inst_clear_room(&block->place);
        thread->cursor = thread->nested_end;
        thread->next_id = block->nested_id;
        thread->nested_end = 0;
        inst_release_held(block);
    }
    if (block->chunk)
        inst_set_limit(thread);
}

/* Return where events continue after the space of an interrupted one. */
static unsigned char *after_space(unsigned char *room, const struct inst_block *block)
{
    unsigned char *at = room + inst_format.reserve;
    return at < block->chunk_end ? inst_format.resume(at) : at;
}

static unsigned char *nested_place(struct inst_thread_state *thread)
{
    struct inst_block *block = thread->block;
    if (!block->chunk)
        inst_next_chunk(thread);
    if (!thread->nested_end) {
        /* In a full chunk the interrupted hook has no space yet, or has already written. */
        int full = thread->cursor >= inst_next_limit(block);
        unsigned char *room = thread->cursor;
        block->place_is_out = 0;
        if (INST_RECORDS)
            inst_segments_interrupted(&block->part);
        block->place = full ? 0 : room;
        thread->nested_end = full ? room : after_space(room, block);
        thread->limit = 0;
        block->nested_id = thread->next_id + 1;
    }
    block->is_nested = 1;
    if (thread->nested_end >= inst_next_limit(block))
        inst_next_chunk(thread);
    return thread->nested_end;
}

/* Return the thread's state, with signals blocked. */
static struct inst_thread_state *enter(void)
{
    uint32_t mask[2];
    inst_join();
    struct inst_thread_state *thread = &inst_thread;
    inst_block_signals(mask);
    if (!inst_process.started)
        inst_start_process();
    if (inst_unlikely(thread->forking))
        inst_look_for_fork(thread);
    if (!thread->block) {
        inst_start_thread(thread);
        if (thread->busy == INST_NOT_STARTED)
            thread->busy = INST_IDLE;
    }
    thread->block->mask[0] = mask[0];
    thread->block->mask[1] = mask[1];
    return thread;
}

/* Return where an event goes that interrupts none; interrupted hooks have ended. */
static unsigned char *own_place(struct inst_thread_state *thread)
{
    struct inst_block *block = thread->block;
    if (inst_is_busy(thread) && !thread->nested_end && block->chunk
        && thread->cursor < inst_next_limit(block))
        erase(thread->cursor);
    thread->busy = INST_IDLE;
    settle(thread);
    if (!block->chunk || thread->cursor >= inst_next_limit(block))
        inst_next_chunk(thread);
    return thread->cursor;
}

unsigned char *inst_place_slow(void)
{
    struct inst_thread_state *thread = enter();
    if (inst_is_busy(thread) && !abandoned(thread))
        return nested_place(thread);
    return own_place(thread);
}

void inst_commit_slow(unsigned char *end)
{
    struct inst_thread_state *thread = &inst_thread;
    if (inst_is_busy(thread))
        thread->nested_end = end;
    else
        thread->cursor = end;
    thread->block->is_nested = 0;
    inst_unblock_signals(thread->block->mask);
}

/* The hook that this place may interrupt will not return. */
unsigned char *inst_last_place(void)
{
    return own_place(enter());
}

/* An interrupted hook has written its event.  Return a place for it if that was not the trace's:
   its buffer was written out in between, or is that of the process before a fork. */
unsigned char *inst_retry(unsigned char *place)
{
    struct inst_thread_state *thread = enter();
    int lost = place == inst_process.inherited;
    struct inst_block *block = thread->block;
    if (lost) {
        inst_release_inherited();
        thread->busy = INST_IDLE;
    } else if (block->place == place) {
        lost = block->place_is_out;
        if (!lost)
            inst_format.fill(thread->cursor, place + inst_format.reserve);
        else if (inst_process.mode == MAPPED)
            fill_room(place);
        inst_ordered();
        block->place = 0;
    }
    unsigned char *retry_place = own_place(thread);
    return lost ? retry_place : 0;
}

void inst_retry_done(unsigned char *end)
{
    struct inst_thread_state *thread = &inst_thread;
    if (end)
        thread->cursor = end;
    inst_unblock_signals(thread->block->mask);
}

/* What handlers have written while a hook was interrupted has later numbers than the hook's event. */
uint32_t inst_slow_id(void)
{
    struct inst_thread_state *thread = &inst_thread;
    return thread->block->is_nested ? thread->block->nested_id++ : thread->next_id++;
}

#if defined __GCC_HAVE_SYNC_COMPARE_AND_SWAP_8
uint64_t inst_quick_order(void)
{
    return __atomic_add_fetch(&inst_process.order, 1, __ATOMIC_ACQ_REL);
}

uint64_t inst_last_order(void)
{
    return inst_process.order;
}
#elif defined __GCC_HAVE_SYNC_COMPARE_AND_SWAP_4
/* The processor adds to 32 bits at once: places above these are assigned under a lock. */
enum { MOST_QUICK = 0xffff0000u };

uint64_t inst_quick_order(void)
{
    uint32_t *last = &inst_process.quick_order;
    if (__atomic_load_n(last, __ATOMIC_RELAXED) >= MOST_QUICK)
        return 0;
    uint32_t order = __atomic_add_fetch(last, 1, __ATOMIC_ACQ_REL);
    return order <= MOST_QUICK ? order : 0;
}

uint64_t inst_last_order(void)
{
    uint32_t quick = __atomic_load_n(&inst_process.quick_order, __ATOMIC_RELAXED);
    return quick < MOST_QUICK ? quick : MOST_QUICK + inst_process.order;
}
#else
uint64_t inst_quick_order(void)
{
    return 0;
}

uint64_t inst_last_order(void)
{
    return inst_process.order;
}
#endif

uint64_t inst_next_order(void)
{
    uint64_t order = inst_quick_order();
    if (order)
        return order;
    inst_lock_process();
    ++inst_process.order;
    order = inst_last_order();
    inst_unlock_process();
    return order;
}

uint64_t *inst_counts_slow(void)
{
    struct inst_thread_state *thread = enter();
    if (inst_is_busy(thread) && !abandoned(thread))
        return thread->block->counts[1];
    thread->busy = INST_IDLE;
    return thread->block->counts[0];
}

void inst_counts_done(void)
{
    inst_unblock_signals(inst_thread.block->mask);
}

int inst_getflag(void)
{
    return inst_thread.flag;
}
