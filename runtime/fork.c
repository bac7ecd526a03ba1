/* Traces of a program that forks: the child has one thread, and a file of its own from its
   next event on. */
#include "calls.h"
#include "process.h"
#include "segments.h"

#include <asm/signal.h>
#include <inst/handlers.h>

#pragma weak inst_record_fork

/* Record the place from which a child goes on: re-execution begins it there. */
static void record_fork(void)
{
    struct inst_thread_state *thread = &inst_thread;
    thread->fork_number = 0;
    if (!INST_RECORDS || !INST_IS_EXECUTED || !inst_record_fork)
        return;
    inst_join();
    inst_lock_process();
    thread->fork_number = ++inst_process.forks;
    inst_unlock_process();
    thread->fork_thread = inst_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0);
    inst_record_fork(thread->fork_number);
}

/* Between them no signal may come: its handler could wait for the lock forever. */
static uint32_t mask_before_fork[2];

void inst_before_fork(void)
{
    uint32_t mask[2];
    record_fork();
    inst_block_signals(mask);
    inst_lock_process();
    inst_lock_owned(&inst_process.memory_lock);
    mask_before_fork[0] = mask[0];
    mask_before_fork[1] = mask[1];
}

void inst_after_fork(void)
{
    uint32_t mask[2] = { mask_before_fork[0], mask_before_fork[1] };
    inst_unlock_owned(&inst_process.memory_lock);
    inst_unlock_process();
    inst_unblock_signals(mask);
}

/* In a child, where no other thread is left. */
static void unlock_all(void)
{
    inst_process.memory_lock.again = inst_process.lock.again = 0;
    inst_unlock_owned(&inst_process.memory_lock);
    inst_unlock_process();
}

/* Leave the parent's trace.  A hook that a handler interrupted, which forked, continues in the
   child as well, and has to get a new place. */
static void leave_parent(struct inst_thread_state *thread)
{
    struct inst_process_state *process = &inst_process;
    inst_forget_output(thread);
    process->parent = process->pid;
    process->parent_thread = thread->fork_thread;
    process->fork_number = thread->fork_number;
    process->pid = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    process->forked = 1;
    process->ending = 0;
    process->ended = 0;
    thread->forking = 0;
    thread->block = 0;
    thread->cursor = thread->limit = 0;
    thread->nested_end = process->inherited;
    thread->hook = thread->flag = thread->paused = 0;
    thread->skips = 0;
    if (!inst_is_busy(thread))
        thread->busy = INST_NOT_STARTED;
    else if (!process->inherited)
        inst_start_thread(thread);  /* the hook may rely on a block */
}

void inst_in_child(void)
{
    uint32_t mask[2] = { mask_before_fork[0], mask_before_fork[1] };
    unlock_all();
    if (!inst_is_own_process())     /* or else an event of the C library's own code was here first */
        leave_parent(&inst_thread);
    inst_unblock_signals(mask);
}

/* A vfork whose child has memory of its own, so that it cannot touch the parent's trace; the
   parent waits for it as always.  Return the child's id, 0 in the child, or an error number,
   negated.  The child is recognised by its id: not every machine's clone returns 0 there. */
long inst_vfork(void)
{
    enum { WAIT_FOR_CHILD = 0x4000, CHILD_SIGNAL = SIGCHLD };
    long own = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    inst_before_fork();
    long child = inst_syscall(__NR_clone, WAIT_FOR_CHILD | CHILD_SIGNAL, 0, 0, 0, 0, 0);
    if (inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0) != own) {
        inst_in_child();
        return 0;
    }
    inst_after_fork();
    return child;
}

/* A fork without the C library's fork handlers: no function of ours is called in the child, so from
   here to inst_fork_returned each event checks which process it is in. */
void inst_expect_fork(void)
{
    record_fork();
    inst_thread.forking = 1;
    inst_thread.skips = 0;
    inst_ordered();
    inst_thread.limit = 0;
    if (INST_RECORDS)
        inst_segments_expect_fork();
}

/* Called with signals blocked. */
void inst_look_for_fork(struct inst_thread_state *thread)
{
    if (inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0) == inst_process.pid)
        return;
    unlock_all();       /* their holders are in the parent */
    leave_parent(thread);
}

void inst_fork_returned(void)
{
    struct inst_thread_state *thread = &inst_thread;
    uint32_t mask[2];
    if (!thread->forking)
        return;
    inst_block_signals(mask);
    inst_look_for_fork(thread);
    thread->forking = 0;
    inst_unblock_signals(mask);
}

/* Return whether a system call makes a process with memory of its own. */
int inst_forks(uint32_t number, const long *arguments)
{
    enum { SHARED_MEMORY = 0x100 };
    unsigned long long flags = SHARED_MEMORY;
    if (number == __NR_fork)
        return 1;
    if (number == __NR_clone)
        flags = arguments[0];
#ifdef __NR_clone3
    if (number == __NR_clone3 && inst_is_readable((void *)arguments[0], sizeof flags))
        flags = *(const unsigned long long *)arguments[0];
#endif
    return !(flags & SHARED_MEMORY);
}
