/* The beginning and the end of a process and of its threads. */
#include "process.h"

#include <asm/errno.h>

struct inst_process inst_process = { .fd = -1 };

void inithook(void) __attribute__((weak));
void exithook(void) __attribute__((weak));
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
    __attribute__((weak, visibility("default")));
extern void *__dso_handle __attribute__((weak)); /* a program without start files has none */

static struct inst_block spare;

/* Called with signals blocked, before the first event of the process or by the constructor. */
void inst_start_process(void)
{
    inst_lock_process();
    int first = !inst_process.started;
    inst_process.started = 1;
    inst_process.pid = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    inst_unlock_process();
    if (first && inithook)
        inithook();
}

static int is_gone(const struct inst_block *block, uint32_t own)
{
    return block->tid == own
           || inst_syscall(__NR_tgkill, block->pid, block->tid, 0, 0, 0, 0) == -ESRCH;
}

/* Find the block of a thread that has ended, so that neither blocks nor chunks add up in programs
   that start one thread after the other.  Each call asks a few: then the next. */
static struct inst_block *find_gone(uint32_t own)
{
    enum { QUESTIONS = 32 };
    for (int n = 0; n < QUESTIONS && inst_process.blocks; n++) {
        struct inst_block *next = inst_process.asked ? inst_process.asked->next : 0;
        inst_process.asked = next ? next : inst_process.blocks;
        if (is_gone(inst_process.asked, own))
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

void inst_start_thread(struct inst_thread *thread)
{
    uint32_t tid = inst_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0);
    inst_lock_process();
    struct inst_block *block = find_gone(tid);
    if (block)
        inst_take_back(block);
    else
        block = new_block();
    block->tid = tid;
    block->pid = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    block->number = ++inst_process.threads;
    inst_unlock_process();
    thread->block = block;
    thread->cursor = thread->limit = thread->nested_end = 0;
}

struct inst_block *inst_blocks(void)
{
    return inst_process.blocks;
}

__attribute__((constructor(101))) static void start(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    if (!inst_process.started)
        inst_start_process();
    inst_unblock_signals(mask);
    if (__register_atfork)
        __register_atfork(inst_before_fork, inst_after_fork, inst_in_child, &__dso_handle);
}

/* The last destructor: write what a trace ends with. */
__attribute__((destructor(101))) static void finish(void)
{
    if (exithook)
        exithook();
    if (&inst_format == 0)
        return;
    /* Where INST_WATCH left nothing, an empty trace says so, not the last run's. */
    int wanted = !inst_process.forked && inst_watching();
    inst_lock_process();
    inst_process.ending = &inst_thread;
    wanted |= inst_process.begun;
    inst_unlock_process();
    if (!wanted)
        return;
    unsigned char *place = inst_last_place();
    if (!inst_at_end(inst_thread.block)) {
        inst_next_chunk(&inst_thread);
        place = inst_thread.cursor;
    }
    inst_commit_slow(inst_process.mode == STOPPED ? place : inst_format.end(place));
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_finish_output(&inst_thread);
    inst_unblock_signals(mask);
}
