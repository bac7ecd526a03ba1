/* What happens to an event that the short way has no place for: the first of a thread, the first
   of a chunk, and one whose hook interrupted another hook by way of a signal handler.

   A hook marks its thread busy with its stack pointer.  A hook that finds the mark either runs in
   a handler, below the interrupted one: then it leaves room for the interrupted event and writes
   behind it; or the mark was left by a hook that a handler jumped out of.  The interrupted hook
   sees at its end that there was another, and writes its event again into the room left for it,
   which holds what readers ignore until then.  */
#include "process.h"

__thread struct inst_thread inst_thread = { .busy = INST_NOT_STARTED };

/* The slow path's own frames lie below the hook's: wider registers make them larger.  A handler's
   lie much lower, below what the kernel has saved. */
#ifdef __powerpc64__
enum { STACK_SLACK = 1024 };
#else
enum { STACK_SLACK = 64 * sizeof(long) };
#endif
enum { ON_ALTERNATE_STACK = 1 };

/* Tell whether the busy hook can no longer come back: its frame lies below ours. */
static int abandoned(const struct inst_thread *thread)
{
    struct {
        void *base;
        int flags;
        unsigned long size;
    } alternate = { 0, 0, 0 };
    if ((uintptr_t)__builtin_frame_address(0) + STACK_SLACK < thread->busy)
        return 0;
    inst_syscall(__NR_sigaltstack, 0, (long)&alternate, 0, 0, 0, 0);
    return !(alternate.flags & ON_ALTERNATE_STACK);
}

/* Go on behind the events that interrupted a hook. */
static void settle(struct inst_thread *thread)
{
    if (thread->nested_end) {
        thread->cursor = thread->nested_end;
        thread->next_id = thread->block->nested_id;
        thread->nested_end = 0;
        inst_release_held(thread->block);
    }
    if (thread->block->chunk)
        inst_set_limit(thread);
}

/* Put into the interrupted hook's room what readers ignore.  Each time: the hook may have gone on
   in between, and written a part over it, and may never come back now. */
static void leave_room(struct inst_block *block)
{
    if (block->place)
        inst_format.fill(block->place, block->place + inst_format.reserve);
}

static unsigned char *nested_place(struct inst_thread *thread)
{
    struct inst_block *block = thread->block;
    if (!block->chunk)
        inst_next_chunk(thread);
    if (!thread->nested_end) {
        /* In a full chunk the interrupted hook has no place yet, or has already written. */
        int full = thread->cursor >= inst_next_limit(block);
        block->place = full ? 0 : thread->cursor;
        thread->nested_end = thread->cursor + (full ? 0 : inst_format.reserve);
        thread->limit = 0;
        block->nested_id = thread->next_id + 1;
    }
    leave_room(block);
    if (thread->nested_end >= inst_next_limit(block))
        inst_next_chunk(thread);
    return thread->nested_end;
}

static void enter(struct inst_thread *thread)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    if (!inst_process.started)
        inst_start_process();
    if (!thread->block) {
        inst_start_thread(thread);
        thread->busy = 0;
    }
    thread->block->mask[0] = mask[0];
    thread->block->mask[1] = mask[1];
}

unsigned char *inst_place_slow(void)
{
    struct inst_thread *thread = &inst_thread;
    enter(thread);
    if (thread->busy && !abandoned(thread))
        return nested_place(thread);
    if (thread->busy && thread->nested_end)
        leave_room(thread->block);
    thread->busy = 0;
    settle(thread);
    if (!thread->block->chunk || thread->cursor >= inst_next_limit(thread->block))
        inst_next_chunk(thread);
    return thread->cursor;
}

void inst_commit_slow(unsigned char *end)
{
    struct inst_thread *thread = &inst_thread;
    if (thread->busy)
        thread->nested_end = end;
    else
        thread->cursor = end;
    inst_unblock_signals(thread->block->mask);
}

void inst_again(void)
{
    enter(&inst_thread);
}

void inst_again_done(unsigned char *place, unsigned char *end)
{
    struct inst_thread *thread = &inst_thread;
    struct inst_block *block = thread->block;
    if (block->place != place) {
        /* The event was whole before the interruption, and may have been written out. */
    } else if (block->held && inst_process.mode == WRITTEN) {
        if (thread->nested_end >= inst_next_limit(block))
            inst_next_chunk(thread);
        for (unsigned char *from = place; from < end; from++)
            *thread->nested_end++ = *from;
    } else {
        inst_format.fill(end, place + inst_format.reserve);
    }
    settle(thread);
    thread->busy = 0;
    inst_unblock_signals(block->mask);
}

uint32_t inst_slow_id(void)
{
    struct inst_thread *thread = &inst_thread;
    return thread->nested_end ? thread->block->nested_id++ : thread->next_id++;
}

uint64_t inst_next_order(void)
{
    inst_lock_process();
    uint64_t order = ++inst_process.order;
    inst_unlock_process();
    return order;
}

uint64_t *inst_counts_slow(void)
{
    struct inst_thread *thread = &inst_thread;
    enter(thread);
    if (thread->busy && !abandoned(thread))
        return thread->block->counts[1];
    thread->busy = 0;
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
