/* A child of fork and its parent's output, which it may not write to. */
#include "output.h"
#include "segments.h"
#include "width.h"

#include <linux/mman.h>

/* Continue a hook that was interrupted by a handler which forked: in the child it has memory of
   its own to write to, and inst_retry has it write to the child's trace. */
static void inherit(struct inst_thread_state *thread)
{
    struct inst_process_state *process = &inst_process;
    struct inst_block *block = thread->block;
    if (!block || !inst_is_busy(thread))
        return;
    unsigned char **chunk = block->held ? &block->held : &block->chunk;
    if (!*chunk || *chunk == inst_sink)
        return;
    inst_release_inherited();
    process->inherited = thread->nested_end ? block->place : thread->cursor;
    process->inherited_chunk = *chunk;
    inst_mmap(*chunk, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
              0);
    *chunk = 0;
}

void inst_release_inherited(void)
{
    inst_release(inst_process.inherited_chunk);
    inst_process.inherited = inst_process.inherited_chunk = 0;
}

/* In a child: what is mapped and opened belongs to the parent. */
void inst_forget_output(struct inst_thread_state *thread)
{
    struct inst_process_state *process = &inst_process;
    inst_forget_ending();
    if (INST_RECORDS)
        inst_forget_ring();
    inherit(thread);
    if (INST_RECORDS)
        inst_segments_forget(thread);
    for (struct inst_block *block = process->blocks; block; block = block->next) {
        inst_release(block->chunk);
        inst_release(block->held);
        inst_release(block->rest);
    }
    if (process->begun && process->mode != STOPPED)
        inst_syscall(__NR_close, process->fd, 0, 0, 0, 0, 0);
    /* Two processes would mix their output in a stream: only files are traced further. */
    process->begun = process->mode == WRITTEN;
    process->mode = process->mode == WRITTEN ? STOPPED : CLOSED;
    process->next_offset = 0;
    process->next_id = 0;
    process->order = 0;
    process->blocks = process->asked = 0;
    process->threads = 0;
}
