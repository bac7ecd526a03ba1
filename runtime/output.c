/* Where events go: chunks of the file, mapped into memory, so that the events of a killed program are
   in the file; or, where files cannot be mapped, buffers that are written when they are full. */
#include "output.h"
#include "segments.h"
#include "width.h"

#include <asm/errno.h>
#include <linux/mman.h>

void inst_stop(const char *what, int error)
{
    inst_process.mode = STOPPED;
    inst_write_stopped(error);
    inst_message(what, inst_process.name, error);
}

/* Decide between mapping and writing when the first chunk is needed. */
static void choose_mode(void)
{
    struct inst_process_state *process = &inst_process;
    unsigned mode = 0;
    int error = inst_open_output(inst_format.extension);
    if (!error)
        error = inst_identify(&process->device, &process->inode, &mode);
    if (error) {
        inst_stop(error == INST_PRIVILEGED ? "no trace" : "cannot write the trace to ", error);
        return;
    }
    inst_count_recorders();
    inst_read_size("INST_LIMIT", &process->most);
    process->mode = (mode & 0170000) == 0100000 ? MAPPED : WRITTEN;
    if (INST_RECORDS && process->mode == MAPPED && (error = inst_open_ring())) {
        inst_stop("cannot write the trace to ", error);
        inst_ftruncate(process->fd, 0);
    }
    if (process->mode == MAPPED && !process->ring) {
        error = inst_reserve(0);
        unsigned char *at = error ? 0 : inst_map_chunk(0);
        if (error)
            inst_stop("cannot write the trace to ", error);
        else if (!at)
            process->mode = WRITTEN;
        else
            inst_syscall(__NR_munmap, (long)at, CHUNK, 0, 0, 0, 0);
    }
    if (INST_RECORDS && process->mode == WRITTEN) {
        inst_syscall(__NR_close, process->fd, 0, 0, 0, 0, 0);
        inst_stop("cannot write the trace to ", INST_STREAM);
    }
}

/* Return whether the trace may not grow further; the first chunk, which states that, always may be. */
static int is_at_limit(void)
{
    const struct inst_process_state *process = &inst_process;
    return process->most && process->next_offset && process->next_offset + CHUNK > process->most;
}

/* Return the next chunk of the file, or 0 if there is none; called with the process's lock. */
unsigned char *inst_next_mapped(uint64_t *offset, int *copied)
{
    struct inst_process_state *process = &inst_process;
    if (is_at_limit()) {
        inst_write_partial("limit");
        inst_stop("cannot write more of the trace to ", INST_AT_LIMIT);
        return 0;
    }
    if (INST_RECORDS && process->ring)
        return inst_next_slot(offset);
    int error = inst_look_at_output();
    if (!error)
        error = inst_reserve(process->next_offset);
    unsigned char *chunk = 0;
    if (!error && process->next_offset >> 32 == 0)
        chunk = inst_map_chunk(process->next_offset);
    else if (!error && !*copied)
        chunk = inst_map_far_chunk(process->next_offset);
    if (!error && !chunk && process->next_offset >> 32) {
        *copied = 1;
        chunk = inst_map(CHUNK);
    }
    if (!chunk) {
        inst_stop("cannot write more of the trace to ", error ? error : ENOMEM);
        return 0;
    }
    *offset = process->next_offset;
    process->next_offset += CHUNK;
    return chunk;
}

void inst_release(unsigned char *chunk)
{
    int is_slot = INST_RECORDS && inst_release_slot(chunk);
    if (chunk && chunk != inst_sink && !is_slot)
        inst_syscall(__NR_munmap, (long)chunk, CHUNK, 0, 0, 0, 0);
}

void inst_release_held(struct inst_block *block)
{
    if (block->held)
        inst_copy_out(block->copied, block->held, block->held_offset, CHUNK);
    inst_release(block->held);
    block->held = 0;
}

/* Give a block another chunk for the one that ends there, which an interrupted hook may still use;
   while another thread ends the trace, there is none. */
static unsigned char *exchange(struct inst_block *block, unsigned char *end, int keep, int over)
{
    struct inst_process_state *process = &inst_process;
    unsigned char *old = block->chunk, *new = 0;
    if (process->mode == MAPPED) {
        uint64_t offset = block->offset;
        unsigned char *full = block->chunk_end;
        block->held_offset = keep ? offset : block->held_offset;
        new = over ? 0 : inst_next_mapped(&block->offset, &block->copied);
        if (old && old != inst_sink) {
            /* If it cannot continue, zeros mark that the trace is cut off here. */
            if (new || over)
                inst_format.fill(end, full);
            inst_copy_out(block->copied, old, offset, CHUNK);
        }
    } else if (process->mode == WRITTEN) {
        if (old)
            inst_write_around(block, old + block->begun, end);
        if (old && !keep && !over) {
            inst_clear(old, end);
            new = old;
        } else if (!over) {
            new = inst_map(CHUNK);
        }
        if (!new && !over)
            inst_stop("cannot write more of the trace to ", ENOMEM);
    }
    if (process->mode == STOPPED || over || !new)
        new = inst_sink;
    if (keep)
        block->held = old;
    else if (old != new)
        inst_release(old);
    return new;
}

/* Give the thread another chunk to write to. */
void inst_next_chunk(struct inst_thread_state *thread)
{
    struct inst_process_state *process = &inst_process;
    struct inst_block *block = thread->block;
    int nested = thread->nested_end != 0, first = !block->chunk;
    unsigned char *end = nested ? thread->nested_end : thread->cursor;
    inst_lock_process();
    int over = process->ending && process->ending != thread, start = !process->begun && !over;
    if (start)
        choose_mode();
    if (block->rest && first && !over) {
        block->chunk = inst_take_rest(block);
    } else {
        block->chunk = exchange(block, end, nested && !block->held, over);
        block->begun = 0;
    }
    block->chunk_end = block->chunk + (block->chunk == inst_sink ? sizeof inst_sink : CHUNK);
    process->begun = 1;
    uint32_t *id = nested ? &block->nested_id : &thread->next_id;
    if (first || block->last_id != process->next_id)
        *id = process->next_id;
    process->next_id = block->last_id = *id + inst_format.ids;
    unsigned char *at = block->chunk;
    if (start && at != inst_sink) {  /* before another thread can end the trace */
        at = inst_put_images(inst_format.begin(at));
        inst_map_ending(block->chunk);
        if (INST_RECORDS)
            inst_ring_began(block->chunk);
    }
    if (at != inst_sink)    /* with its thread's name, before it can be taken over: inst_finish_output */
        at = inst_format.begin_chunk(at + block->begun, first);
    inst_unlock_process();
    if (nested) {    /* the cursor stays where the interrupted hook may have ended its event */
        thread->nested_end = at;
        return;
    }
    thread->cursor = at;
    inst_set_limit(thread);
}

/* Events may begin below this: there is space for one. */
unsigned char *inst_next_limit(const struct inst_block *block)
{
    return block->chunk_end - inst_format.reserve + 1;
}

/* Enable the fast path; while something is watched, forks or is paused, each event takes the slow path. */
void inst_set_limit(struct inst_thread_state *thread)
{
    int is_slow = inst_watching() || thread->forking || thread->paused || inst_has_to_turn();
    thread->limit = is_slow ? 0 : inst_next_limit(thread->block);
}

/* Return whether what goes to a chunk now comes last in the trace. */
int inst_at_end(const struct inst_block *block)
{
    return inst_process.mode != MAPPED || block->offset + CHUNK == inst_process.next_offset;
}
