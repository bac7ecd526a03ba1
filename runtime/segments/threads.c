/* Chunks of segments of threads that end, of a child of fork, and at the end of the process. */
#include "output.h"
#include "part.h"
#include "segments.h"
#include "width.h"

#include <entry.h>
#include <linux/mman.h>
#include <thread.h>

/* Where the linker does not check the distance from sites to the thread pointer, a program's own common
   variables may lie after ours.  Shared objects have no such sites. */
void inst_segments_check(void)
{
#ifdef __PIE__
    enum { FAILED = 127 };
    if (!INST_SEGMENTS_REACH)
        return;
    uintptr_t now;
    __asm__ __volatile__(INST_THREAD_POINTER : "=r"(now));
    if (now - (uintptr_t)&inst_segments <= INST_SEGMENTS_REACH)
        return;
    inst_message("the program's thread-local common variables are too large for recording: "
                 "compile with -fno-common", "", 0);
    inst_syscall(__NR_exit_group, FAILED, 0, 0, 0, 0, 0);
#endif
}

/* The first thread may have recorded before it had its thread-local storage.  The segment in which
   the C library set the thread pointer has left its end in the new storage. */
void inst_segments_go_on(void)
{
    struct inst_segments_state *early = inst_early(&inst_segments);
    uintptr_t end = inst_segments.cursor;
    if (!early || !early->cursor)
        return;
    inst_segments = *early;
    if (end)
        inst_segments.cursor = end;
    early->cursor = early->limit = 0;
}

/* The next thread has been nowhere yet. */
static void note_no_place(struct inst_part *part)
{
    part->last = (struct inst_place){ 0, 0, 0 };
}

/* A thread has ended: another one continues its chunk.  Called with the process's lock. */
void inst_segments_take_back(struct inst_block *block)
{
    struct inst_part *part = &block->part;
    part->left_out = 0;
    inst_release_pins(part, 0);
    inst_release_part(part->spare.chunk, part->spare.number, 0);
    part->spare.chunk = 0;
    note_no_place(part);
    if (!part->chunk)
        return;
    if (part->copied || inst_process.mode != MAPPED) {
        inst_release_part(part->chunk, part->number, part->copied);
    } else {
        inst_release(part->rest.chunk);
        part->rest.chunk = part->chunk;
        part->rest.number = part->number;
    }
    part->chunk = 0;
    part->ended = 0;
}

/* The thread reports its end: its last block is whole. */
void inst_segments_thread_ended(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    if (inst_thread.block && inst_thread.block->part.chunk)
        inst_thread.block->part.ended = inst_segments.cursor + sizeof(uintptr_t)
                                        - (uintptr_t)inst_thread.block->part.chunk;
    inst_unblock_signals(mask);
}

void inst_segments_expect_fork(void)
{
    inst_segments.limit = 0;
}

/* In a child: code that a signal interrupted may still write to a chunk.  It is no longer the file's,
   but memory of the child's own. */
static void make_private(unsigned char *chunk)
{
    if (chunk)
        inst_mmap(chunk, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                  -1, 0);
}

void inst_segments_forget(struct inst_thread_state *thread)
{
    for (struct inst_block *block = inst_process.blocks; block; block = block->next) {
        struct inst_part *part = &block->part;
        part->left_out = 0;
        inst_release(part->rest.chunk);
        inst_release(part->spare.chunk);
        part->rest.chunk = part->spare.chunk = 0;
        if (block == thread->block) {
            make_private(part->chunk);
            for (unsigned n = 0; n < part->pinned; n++)
                make_private(inst_pin(part, n)->chunk);
        } else {
            inst_release(part->chunk);
        }
    }
    inst_process.table = 0;
    if (inst_segments.cursor)
        inst_write_to_sink();
    inst_segments.limit = 0;
}

/* Let a thread that may be running write to memory of its own. */
static void take_over(unsigned char *chunk, uint32_t number)
{
    unsigned char *there = chunk ? inst_take_over(chunk, (uint64_t)number * CHUNK) : 0;
    inst_release(there);
}

/* Take the chunk of another thread, which may be running.  If it is, its last block may be partial: a
   run without blocks says so.  A thread that ends after its chunk was taken has written more elsewhere:
   whether it has ended is asked before. */
static void finish_other(struct inst_block *block)
{
    struct inst_part *part = &block->part;
    take_over(part->spare.chunk, part->spare.number);
    for (unsigned n = 0; n < part->pinned; n++) {
        const struct inst_pin *pin = inst_pin(part, n);
        if (!pin->copied)
            take_over(pin->chunk, pin->number);
    }
    if (part->copied) {
        inst_copy_out(1, part->chunk, (uint64_t)part->number * CHUNK, CHUNK);
        return;
    }
    int is_gone = inst_is_gone(block);
    unsigned char *chunk = part->chunk ? inst_take_over(part->chunk, (uint64_t)part->number * CHUNK) : 0;
    if (!chunk)
        return;
    uint32_t end = inst_end_of_blocks(chunk);
    if (end != part->ended && !is_gone)
        inst_add_run(chunk, end, block->number - 1, 0);
    inst_release(chunk);
}

/* Before an exec, which may fail: write out what is not the file's own memory. */
void inst_segments_save(const struct inst_block *block)
{
    const struct inst_part *part = &block->part;
    if (part->chunk)
        inst_copy_out(part->copied, part->chunk, (uint64_t)part->number * CHUNK, CHUNK);
    for (unsigned n = 0; n < part->pinned; n++) {
        const struct inst_pin *pin = inst_pin(part, n);
        inst_copy_out(pin->copied, pin->chunk, (uint64_t)pin->number * CHUNK, CHUNK);
    }
}

/* At the normal end of the process, with its lock. */
void inst_segments_finish(struct inst_block *block, struct inst_thread_state *thread)
{
    struct inst_part *part = &block->part;
    if (block != thread->block) {
        finish_other(block);
        return;
    }
    if (!part->chunk)
        return;
    inst_copy_out(part->copied, part->chunk, (uint64_t)part->number * CHUNK, CHUNK);
    part->left_out = 0;
    part->chunk = 0;
    inst_write_to_sink();
}
