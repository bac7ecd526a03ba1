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

/* Find the first event that is left out of a thread's: return whether there is one, and where the blocks
   end that come before it.

   The thread goes on in memory that has taken the place of its chunks.  Of a record that it was writing,
   a part may be in the file and the rest there.  Where that belongs to an event which has begun in the
   file, this event is left out.  Called after the blocks were taken: what is missing before an event that
   is not there yet is known to be missing. */
static int find_cut(const struct inst_block *block, struct inst_taken *taken, struct inst_place *place)
{
    unsigned char record[INST_PLACE_BYTES] __attribute__((aligned(8)));
    unsigned char *at = taken->end, *chunk = taken->chunk;
    if (!chunk || at + sizeof record > chunk + CHUNK)
        return 0;
    const volatile unsigned char *there = taken->is_cut ? at : block->chunk + (at - chunk);
    for (unsigned n = 0; n < sizeof record; n++)
        record[n] = at[n] | there[n];
    if (!record[0])
        return 0;
    if (!inst_record_place(record, place)) {
        while (at > chunk + block->begun && !inst_record_place(at, place))
            at -= sizeof record;
        if (!inst_record_place(at, place))
            return 0;
        taken->end = at;
    }
    taken->is_cut = 1;
    return 1;
}

/* Take a chunk of another thread, which may be running: it writes to memory of its own from now on. */
static unsigned char *take(const unsigned char *chunk, uint32_t number, int copied)
{
    if (!chunk || !copied)
        return chunk ? inst_take_over((unsigned char *)chunk, (uint64_t)number * CHUNK) : 0;
    uint64_t *to = inst_map(CHUNK);
    for (unsigned n = 0; to && n < CHUNK / sizeof *to; n++)
        to[n] = ((const volatile uint64_t *)chunk)[n];
    return (unsigned char *)to;
}

static void release(unsigned char *chunk, uint32_t number, int copied)
{
    if (chunk)
        inst_copy_out(copied, chunk, (uint64_t)number * CHUNK, CHUNK);
    inst_release(chunk);
}

/* Take another chunk than the one that a thread writes to. */
static void finish_chunk(const struct inst_block *block, unsigned char *chunk, uint32_t number, int copied,
                         struct inst_place last)
{
    unsigned char *taken = take(chunk, number, copied);
    if (taken)
        inst_cut_blocks(taken, number, block->number - 1, last);
    release(taken, number, copied);
}

/* Take the chunks of another thread, which may be running.  If it is, its last block may be partial: a
   run without blocks says so.  But before an event blocks are whole: those are left out that come after
   the first event that is.  A thread that ends after its chunk was taken has written more elsewhere:
   whether it has ended is asked before. */
void inst_segments_finish_other(struct inst_block *block, struct inst_taken *taken)
{
    struct inst_part *part = &block->part;
    struct inst_place last = { 0, 0, inst_process.last_place }, place;
    uint32_t number = part->number, thread = block->number - 1;
    int is_gone = inst_is_gone(block), copied = part->copied;
    unsigned char *chunk = take(part->chunk, number, copied);
    int is_cut = find_cut(block, taken, &place);
    if (is_cut && place.order <= last.order)
        last = place;
    if (chunk) {
        inst_cut_blocks(chunk, number, thread, last);
        uint32_t end = inst_end_of_blocks(chunk);
        if (!is_cut && end != part->ended && !is_gone)
            inst_add_run(chunk, end, thread, 0);
        release(chunk, number, copied);
    }
    finish_chunk(block, part->spare.chunk, part->spare.number, 0, last);
    for (unsigned n = 0; n < part->pinned; n++) {
        const struct inst_pin *pin = inst_pin(part, n);
        finish_chunk(block, pin->chunk, pin->number, pin->copied, last);
    }
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

/* The chunk of the thread that ends the trace. */
void inst_segments_finish_own(struct inst_block *block)
{
    struct inst_part *part = &block->part;
    if (!part->chunk)
        return;
    inst_copy_out(part->copied, part->chunk, (uint64_t)part->number * CHUNK, CHUNK);
    part->left_out = 0;
    part->chunk = 0;
    inst_write_to_sink();
}
