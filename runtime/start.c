/* The beginning and the end of a process and of its threads. */
#include "registers.h"
#include "segments.h"

#include <inst/handlers.h>

#include <asm/errno.h>

struct inst_registers inst_first_registers;

#pragma weak inithook
#pragma weak exithook
static struct inst_block spare;

/* The last destructor, or the last function of quick_exit.  The priority is in the declaration: GCC
   ignores it in a definition whose declaration had none, and this would run before the program's
   destructors. */
static void leave(void) __attribute__((destructor(101)));

/* An instrumented C library calls the wrapper of _exit after all destructors, when it has flushed
   its streams: inst/rewrite/wrapping.py. */
extern const char own_exit[] __asm__("inst.own.exit") __attribute__((weak, visibility("hidden")));

/* Called with signals blocked, before the first event of the process or by the constructor. */
void inst_start_process(void)
{
    inst_lock_process();
    int first = !inst_process.started;
    if (first) {
        inst_own_begins();
        inst_enter_module();
    }
    inst_process.started = 1;
    inst_process.pid = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    inst_unlock_process();
    inst_privileged();
    if (first && INST_RECORDS)
        inst_segments_check();
    if (first && inithook)
        inithook(&inst_first_registers);
    if (first)
        inst_catch_toggle();
    if (first && (exithook || &inst_format))
        inst_catch_fatal_signals();
}

int inst_is_gone(const struct inst_block *block)
{
    return inst_syscall(__NR_tgkill, block->pid, block->tid, 0, 0, 0, 0) == -ESRCH;
}

/* Find the block of a thread that has ended, so that blocks and chunks do not add up in programs that
   start one thread after the other.  Each call checks a few, and the next call continues there. */
static struct inst_block *find_gone(uint32_t own)
{
    enum { QUESTIONS = 32 };
    for (int n = 0; n < QUESTIONS && inst_process.blocks; n++) {
        struct inst_block *next = inst_process.asked ? inst_process.asked->next : 0;
        inst_process.asked = next ? next : inst_process.blocks;
        if (inst_process.asked->tid == own || inst_is_gone(inst_process.asked))
            return inst_process.asked;
    }
    return 0;
}

static struct inst_block *new_block(void)
{
    struct inst_block *block = inst_map(sizeof *block);
    if (!block)
        block = &spare;
    block->next = inst_process.blocks;
    inst_process.blocks = block;
    return block;
}

/* The first thread has events before the C library allocates its thread-local storage, or fills
   that: continue with its earlier state. */
static int goes_on(struct inst_thread_state *thread)
{
    struct inst_thread_state *early = inst_early(thread);
    if (!early || !early->block)
        return 0;
    /* Word by word: an assignment would call memcpy, which may be the program's. */
    enum { WORDS = offsetof(struct inst_thread_state, counter) / sizeof(uintptr_t) };
    for (unsigned n = 0; n < WORDS; n++)
        ((volatile uintptr_t *)thread)[n] = ((volatile uintptr_t *)early)[n];
    early->block = 0;
    if (INST_RECORDS)
        inst_segments_go_on();
    return 1;
}

void inst_start_thread(struct inst_thread_state *thread)
{
    if (goes_on(thread))
        return;
    uint32_t tid = inst_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0);
    uint32_t pid = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    inst_lock_process();
    struct inst_block *block = find_gone(tid);
    int first_again = block && block->tid == tid && tid == pid;
    if (block)
        inst_take_back(block);
    else
        block = new_block();
    block->tid = tid;
    block->pid = pid;
    if (!first_again)
        block->number = ++inst_process.threads;
    inst_unlock_process();
    thread->block = block;
    thread->cursor = thread->limit = thread->nested_end = 0;
}

struct inst_block *inst_blocks(void)
{
    return inst_process.blocks;
}

/* Also called where a static program begins: inithook comes before all accesses.  The recorder is this
   module's own. */
__attribute__((used)) void inst_begin(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    if (!inst_own_recorder.process.started)
        inst_start_process();
    inst_unblock_signals(mask);
}

__attribute__((constructor(101))) static void start(void)
{
    uint32_t mask[2];
    inst_join();
    if (&inst_recorder == &inst_own_recorder)
        inst_begin();
    inst_block_signals(mask);
    inst_lock_process();
    inst_recorder.users++;
    inst_unlock_process();
    inst_unblock_signals(mask);
    inst_recorder.prepare();
}

/* Return the place of the trace's last event. */
static unsigned char *end_place(void)
{
    unsigned char *place = inst_last_place();
    if (inst_at_end(inst_thread.block))
        return place;
    inst_next_chunk(&inst_thread);
    return inst_thread.cursor;
}

/* Write the end of a trace.  Threads that need another chunk wait for the lock until it is over: each of
   them has all up to where its chunks are taken, and no events are lost that others' come after. */
static void finish_trace(void)
{
    /* Where INST_WATCH excluded all, the trace is an empty one, not the last run's. */
    int wanted = !inst_process.forked && inst_watching();
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock_process();
    unsigned char *place = wanted || inst_process.begun ? end_place() : 0;
    inst_process.last_place = inst_last_order();
    inst_process.ending = &inst_thread;
    if (place)
        inst_finish_output(&inst_thread, place);
    inst_unlock_process();
    inst_unblock_signals(mask);
}

/* Return whether this is the first end of the process, after which there is no other. */
static int ends_first(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock_process();
    int first = !inst_process.ended;
    inst_process.ended = 1;
    inst_unlock_process();
    inst_unblock_signals(mask);
    return first;
}

static void finish(void)
{
    if (!ends_first())
        return;
    if (exithook)
        exithook();
    if (&inst_format)
        finish_trace();
    inst_report_unreported();
}

static void leave(void)
{
    if (inst_leave_module() && !own_exit)
        finish();
}

/* A process that shares this memory, such as a child of vfork, is not this one. */
int inst_is_own_process(void)
{
    if (inst_thread.forking) {
        uint32_t mask[2];
        inst_block_signals(mask);
        inst_look_for_fork(&inst_thread);
        inst_unblock_signals(mask);
    }
    return inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0) == inst_process.pid;
}

/* The process is about to end otherwise than by its destructors. */
void inst_process_ends(void)
{
    if (inst_is_own_process())
        finish();
}

/* The process is about to exec another program.  If that fails, it continues and ends later. */
void inst_image_ends(void)
{
    if (!inst_is_own_process() || inst_process.ended)
        return;
    if (exithook)
        exithook();
    inst_report_unreported();
    if (&inst_format)
        inst_save_output(&inst_thread);
}

/* The exec has failed. */
void inst_image_continues(void)
{
    if (&inst_format && inst_is_own_process())
        inst_continue_output();
}
