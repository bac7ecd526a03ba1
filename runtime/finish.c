/* The normal end of a process: write out everything, also of threads that run; cut the file. */
#include "output.h"
#include "segments.h"
#include "width.h"

#include <linux/mman.h>

/* Let another thread, which may be running, write to memory of its own from now on; return the
   chunk as it is in the file, or 0. */
unsigned char *inst_take_over(unsigned char *chunk, uint64_t offset)
{
    inst_mmap(chunk, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return INST_RECORDS && inst_process.ring ? inst_map_slot(offset) : inst_map_chunk(offset);
}

/* Clear the space of another thread's interrupted hook, which now writes elsewhere. */
static void clear_room_in(struct inst_block *block, const unsigned char *before,
                          unsigned char *chunk)
{
    unsigned char *place = block->place;
    if (!place)
        return;
    unsigned char *there = chunk + (place - before);
    inst_clear_room(&there);
}

/* The same for a chunk that another thread's interrupted hook still uses. */
static void finish_held(struct inst_block *block)
{
    unsigned char *chunk = block->copied && block->held_offset >> 32
                               ? 0 : inst_take_over(block->held, block->held_offset);
    if (!chunk)
        return;
    clear_room_in(block, block->held, chunk);
    inst_release(chunk);
}

/* Copy a chunk's events out, and filler for its rest unless the file ends there; that is made
   elsewhere, because another thread may be writing here. */
static void finish_copied(const struct inst_block *block, const unsigned char *end, int last)
{
    unsigned long used = end - block->chunk;
    inst_copy_out(block->copied, block->chunk, block->offset, used);
    unsigned char *rest = last ? 0 : inst_map(CHUNK);
    if (!rest)
        return;
    inst_format.fill(rest + used, rest + CHUNK);
    inst_copy_out(block->copied, rest + used, block->offset + used, CHUNK - used);
    inst_release(rest);
}

/* Fill the rest of a chunk, unless the file ends there; return where the events end in the file. */
static uint64_t fill_rest(const struct inst_block *block, unsigned char *chunk, unsigned char *end)
{
    /* A ring is not cut: its chunks have one size. */
    int last = !inst_process.ring && block->offset + CHUNK == inst_process.next_offset;
    if (block->copied && block->offset >> 32)
        finish_copied(block, end, last);
    else if (!last)
        inst_format.fill(end, chunk + CHUNK);
    return block->offset + (end - chunk);
}

/* What another thread has written goes up to the last place in the order of all threads: its chunks are
   taken later than others', and what it does after an event of theirs that is not there must not be
   either. */
static struct inst_taken take_events(const struct inst_block *block, unsigned char *chunk)
{
    struct inst_taken taken = { chunk, 0, 0 };
    if (!chunk)
        return taken;
    unsigned char *end = inst_written_end(block, chunk);
    taken.end = end;
    if (inst_format.cut)
        taken.end = inst_format.cut(chunk + block->begun, end, inst_process.last_place);
    taken.is_cut = taken.end != end;
    return taken;
}

/* A thread that ends meanwhile has gone on, too. */
static void note_running(const struct inst_block *block, const struct inst_taken *taken)
{
    inst_process.cut += taken->is_cut;
    inst_process.running += taken->is_cut || !inst_is_gone(block);
}

/* Take what another thread has written to the file; return where its events end there. */
static uint64_t finish_other(struct inst_block *block)
{
    int is_memory = block->copied && block->offset >> 32;
    unsigned char *chunk = block->chunk == inst_sink ? 0 : block->chunk;
    if (chunk && !is_memory)
        chunk = inst_take_over(chunk, block->offset);
    struct inst_taken taken = take_events(block, chunk);
    if (INST_RECORDS)
        inst_segments_finish_other(block, &taken);
    note_running(block, &taken);
    if (!chunk)
        return 0;
    if (!is_memory && !block->held)
        clear_room_in(block, block->chunk, chunk);
    uint64_t end = fill_rest(block, chunk, taken.end);
    if (!is_memory)
        inst_release(chunk);
    return end;
}

/* Write out what is in a buffer, and has not been. */
static unsigned char *write_buffer(struct inst_block *block, const struct inst_thread_state *thread)
{
    unsigned char *end = thread->nested_end ? thread->nested_end : thread->cursor;
    if (block != thread->block)
        end = inst_written_end(block, block->chunk);
    inst_write_around(block, block->chunk + block->begun, end);
    return end;
}

static void write_other(struct inst_block *block)
{
    struct inst_taken taken = take_events(block, block->chunk);
    note_running(block, &taken);
    inst_write_around(block, block->chunk + block->begun, taken.end);
}

/* Write out what a block has only in memory; its thread continues there if exec fails. */
static void save(struct inst_block *block, const struct inst_thread_state *thread)
{
    int begun = block->chunk && block->chunk != inst_sink;
    if (block == thread->block && inst_process.mode == MAPPED)
        inst_leave_room(block);
    if (begun && inst_process.mode == WRITTEN)
        block->begun = write_buffer(block, thread) - block->chunk;
    else if (begun)
        inst_copy_out(block->copied, block->chunk, block->offset, CHUNK);
    if (block->held && inst_process.mode == MAPPED)
        inst_copy_out(block->copied, block->held, block->held_offset, CHUNK);
    if (INST_RECORDS)
        inst_segments_save(block);
}

/* Before an exec, which may fail. */
void inst_save_output(struct inst_thread_state *thread)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock_process();
    struct inst_process_state *process = &inst_process;
    if (process->begun && process->mode != STOPPED) {
        for (struct inst_block *block = process->blocks; block; block = block->next)
            save(block, thread);
        if (process->mode != STOPPED)   /* all could be written */
            inst_write_ending("exec");
    }
    inst_unlock_process();
    inst_unblock_signals(mask);
}

/* After an exec that has failed. */
void inst_continue_output(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock_process();
    if (inst_process.begun && inst_process.mode != STOPPED)
        inst_write_ending("running");
    inst_unlock_process();
    inst_unblock_signals(mask);
}

/* At the end: what another thread has written; return how long the file is with it. */
static uint64_t finish_block(struct inst_block *block, uint64_t length)
{
    struct inst_process_state *process = &inst_process;
    int begun = block->chunk && block->chunk != inst_sink;
    if (process->mode == WRITTEN) {
        if (begun)
            write_other(block);
        return length;
    }
    if (block->held)
        finish_held(block);
    if (block->rest)            /* of a thread that has just begun */
        inst_format.fill(block->rest + block->rest_begun, block->rest + CHUNK);
    uint64_t end = finish_other(block);
    return begun && block->offset + CHUNK == process->next_offset ? end : length;
}

/* The same of the thread that ends the trace, by an event with which all is known. */
static uint64_t finish_own(struct inst_thread_state *thread, unsigned char *place, uint64_t length)
{
    struct inst_process_state *process = &inst_process;
    struct inst_block *block = thread->block;
    inst_commit_slow(process->mode == STOPPED ? place : inst_format.end(place));
    if (process->mode == MAPPED && block->held)
        finish_held(block);
    if (process->mode == WRITTEN && block->chunk != inst_sink)
        inst_clear(block->chunk, write_buffer(block, thread));
    if (process->mode != MAPPED)
        return length;
    int is_last = inst_at_end(block);
    uint64_t end = block->chunk != inst_sink ? fill_rest(block, block->chunk, thread->cursor) : length;
    if (INST_RECORDS)
        inst_segments_finish_own(block);
    return is_last ? end : length;
}

static uint64_t finish_blocks(struct inst_thread_state *thread, unsigned char *place)
{
    struct inst_process_state *process = &inst_process;
    uint64_t length = process->next_offset;
    for (struct inst_block *block = process->blocks; block; block = block->next)
        if (block != thread->block)
            length = finish_block(block, length);
    return finish_own(thread, place, length);
}

/* At the normal end of the process: write out everything, and cut the file to its content.  `place` is
   that of the trace's last event.  Called with the process's lock, and signals blocked. */
void inst_finish_output(struct inst_thread_state *thread, unsigned char *place)
{
    struct inst_process_state *process = &inst_process;
    int is_over = !process->begun || process->mode == STOPPED;
    int error = is_over || process->ring ? 0 : inst_look_at_output();
    if (error)
        inst_stop("cannot write the end of the trace to ", error);
    if (INST_RECORDS && process->mode == STOPPED && !error)
        inst_finish_ring();
    if (is_over || error)
        return inst_commit_slow(place);
    uint64_t length = finish_blocks(thread, place);
    if (process->next_offset && !process->ring)
        inst_ftruncate(process->fd, length);
    inst_write_ending("exit");
    process->mode = STOPPED;
    if (thread->block) {
        inst_release(thread->block->chunk);
        thread->block->chunk = inst_sink;
        thread->block->chunk_end = inst_sink + sizeof inst_sink;
        thread->cursor = inst_sink;
        thread->limit = inst_next_limit(thread->block);
    }
    if (INST_RECORDS)
        inst_finish_ring();
}
