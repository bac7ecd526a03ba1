/* Room for segments: chunks of the file, one for each thread, divided into runs.

   A run begins where a thread gets a chunk and every RUN bytes, so that readers can decode many runs
   at once: blocks are decoded from the end of a run to its start.  Values that follow each other are read
   as they come: their runs are longer, and their threads call inst.room less often.  Segments check only
   now and then whether there is room, so beyond a limit there are always ZONE bytes more. */
#include "output.h"
#include "part.h"
#include "width.h"

#include <linux/mman.h>

enum { WORD = sizeof(uintptr_t), HEADER = INST_SITE_RUNS };
enum { RUN = 16384, LONG_RUN = 4 * RUN, ZONE = 16384, SINK = 65536 };
enum { MOST_RUNS = (HEADER - 16) / 16, LAST = CHUNK - ZONE, WORTH_IT = CHUNK / 4, MANY_RUNS = 64 };

struct header {
    char magic[8];
    uint32_t word, runs;
    struct {
        uint32_t start, thread;
        uint64_t order;         /* 0: it continues the run before */
    } run[MOST_RUNS];
};
_Static_assert(sizeof(struct header) == HEADER, "the header of a chunk has another size");
_Static_assert(ZONE >= INST_SITE_UNCHECKED + INST_SITE_MOST_WORDS * WORD, "too little room");

/* Where blocks go that are not recorded; nothing reads them. */
uintptr_t inst_segments_nowhere[SINK / WORD] __attribute__((visibility("hidden")));

/* Sites of SPARC reach 1,024 bytes below the thread pointer.  The linker places common variables after
   all other thread-local ones. */
#if __SIZEOF_POINTER__ == 8
__asm__("\t.tls_common inst.segments,16,8\n\t.hidden inst.segments");
#else
__asm__("\t.tls_common inst.segments,8,4\n\t.hidden inst.segments");
#endif

intptr_t inst_segments_distance(uintptr_t pointer)
{
    return (intptr_t)&inst_own_segments - pointer;
}

void inst_write_to_sink(void)
{
    inst_segments.cursor = (uintptr_t)inst_recorder.segments_sink;
    inst_segments.limit = inst_segments.cursor + SINK - ZONE;
}

/* Return where the blocks of a chunk end whose thread no longer writes: every block's last word is
   its trailer, which is never 0. */
uint32_t inst_end_of_blocks(const unsigned char *chunk)
{
    const uintptr_t *first = (const uintptr_t *)(chunk + HEADER);
    const uintptr_t *at = (const uintptr_t *)(chunk + CHUNK);
    while (at > first && !at[-1])
        at--;
    return (const unsigned char *)at - chunk;
}

/* Begin a run in a chunk; readers find it when it is counted. */
void inst_add_run(unsigned char *chunk, uint32_t start, uint32_t thread, uint64_t order)
{
    struct header *header = (struct header *)chunk;
    uint32_t n = header->runs;
    header->run[n].start = start;
    header->run[n].thread = thread;
    header->run[n].order = order;
    inst_ordered();
    *(volatile uint32_t *)&header->runs = n + 1;
}

/* Leave out what a thread has written to a chunk after a place, and in runs with higher numbers. */
void inst_cut_blocks(unsigned char *chunk, uint32_t number, uint32_t thread, struct inst_place last)
{
    struct header *header = (struct header *)chunk;
    uint32_t from = CHUNK, kept = header->runs;
    for (uint32_t n = kept; n > 0 && header->run[n - 1].thread == thread; n--)
        if (header->run[n - 1].order > last.order)
            from = header->run[n - 1].start;
    if (number == last.chunk && last.offset < from)
        from = last.offset;
    while (kept > 1 && header->run[kept - 1].start >= from)
        kept--;
    header->runs = kept;
    inst_clear(chunk + from, chunk + CHUNK);
    if (INST_IS_LOOSE && from < CHUNK && kept < MOST_RUNS) /* the last values may be 0 */
        inst_add_run(chunk, from, thread, 0);
}

/* Note where the thread's last block ends, before it leaves its chunk or its run.  A run without blocks
   says so, where the last words may be 0; but not in memory that has taken the chunk's place, where the
   process ends (finish_other): that has no runs. */
static void note_place(struct inst_part *part)
{
    part->left_out = 0;
    if (!part->chunk || inst_segments.cursor + WORD <= part->start)
        return;
    struct header *header = (struct header *)part->chunk;
    uint32_t end = inst_segments.cursor + WORD - (uintptr_t)header;
    uint32_t runs = *(volatile uint32_t *)&header->runs;
    if (INST_IS_LOOSE && runs && runs < MOST_RUNS)
        inst_add_run(part->chunk, end, header->run[runs - 1].thread, 0);
    part->last.chunk = part->number;
    part->last.offset = inst_segments.cursor + WORD - (uintptr_t)part->chunk;
    part->last.order = part->order;
}

/* Begin a run with a number.  Where the header has many, one without blocks is used again, and its number is
   none of the trace's.  Return whether the header has it. */
static int begin_numbered(struct inst_block *block, uintptr_t start)
{
    struct inst_part *part = &block->part;
    struct header *header = (struct header *)part->chunk;
    uint32_t offset = start - (uintptr_t)header, n = header->runs;
    int is_again = n >= MANY_RUNS && header->run[n - 1].start == offset;
    if (!is_again && n + 1 >= MOST_RUNS)
        return 0;
    part->order = inst_next_order();
    part->start = start;
    if (is_again) {
        header->run[n - 1].thread = block->number - 1;
        header->run[n - 1].order = part->order;
    } else {
        inst_add_run(part->chunk, offset, block->number - 1, part->order);
    }
    return 1;
}

/* Begin a run where the thread's cursor is: with a number, or one that continues the run before. */
static void begin_run(struct inst_block *block, int is_numbered)
{
    struct inst_part *part = &block->part;
    uintptr_t start = inst_segments.cursor + WORD, last = (uintptr_t)part->chunk + LAST;
    if (is_numbered)
        begin_numbered(block, start);
    else
        inst_add_run(part->chunk, start - (uintptr_t)part->chunk, block->number - 1, 0);
    uintptr_t end = start + (INST_IS_LOOSE ? LONG_RUN : RUN);
    part->end = end < last ? end : last;
    inst_segments.limit = part->end;
}

void inst_release_part(unsigned char *chunk, uint32_t number, int copied)
{
    if (chunk)
        inst_copy_out(copied, chunk, (uint64_t)number * CHUNK, CHUNK);
    inst_release(chunk);
}

/* Take the rest of the chunk of a thread that has ended, if that is worth it; it is 0 otherwise. */
static void take_rest(struct inst_part *part)
{
    struct inst_piece rest = part->rest;
    part->rest.chunk = 0;
    if (!rest.chunk)
        return;
    if (INST_IS_LOOSE)          /* its end is not known */
        return inst_release(rest.chunk);
    uint32_t end = inst_end_of_blocks(rest.chunk);
    if (end + WORTH_IT > LAST || ((struct header *)rest.chunk)->runs >= MANY_RUNS)
        return inst_release(rest.chunk);
    part->chunk = rest.chunk;
    part->number = rest.number;
    part->copied = 0;
    inst_segments.cursor = (uintptr_t)rest.chunk + end - WORD;
}

/* Let functions that touch memory write blocks.  Names count from the start of the program's image, where
   only its own runtime lies. */
static void name_ranges(struct inst_part *part)
{
#ifdef __PIE__
    part->ranges[0] = inst_image_base() - (uintptr_t)inst_range_read;
    part->ranges[1] = inst_image_base() - (uintptr_t)inst_range_written;
#else
    (void)part;
#endif
}

/* Take a new chunk of the file; it remains 0 if there is none. */
static void take_new(struct inst_part *part)
{
    uint64_t offset;
    unsigned char *chunk = inst_next_mapped(&offset, &part->copied);
    if (!chunk)
        return;
    struct header *header = (struct header *)chunk;
    inst_segments.cursor = (uintptr_t)chunk + HEADER - WORD;
    header->word = WORD;
    inst_ordered();
    for (int n = 7; n >= 0; n--)
        ((volatile char *)header->magic)[n] = "INST-SEG"[n];
    part->number = offset / CHUNK;
    part->chunk = chunk;
}

/* Give the thread another chunk, and its first run. */
static void next_part(struct inst_thread_state *thread)
{
    struct inst_process_state *process = &inst_process;
    struct inst_part *part = &thread->block->part;
    inst_lock_process();
    int over = process->ending && process->ending != thread;
    note_place(part);
    inst_release_part(part->chunk, part->number, part->copied);
    part->chunk = 0;
    if (!over && process->mode == MAPPED && inst_write_table()) {
        take_rest(part);
        if (!part->chunk)
            take_new(part);
    }
    inst_unlock_process();
    name_ranges(part);
    if (part->chunk)
        begin_run(thread->block, 1);
    else
        inst_write_to_sink();
}

/* Give a handler a chunk to write to; the thread's own is left to the interrupted code. */
void inst_take_handlers_chunk(struct inst_thread_state *thread)
{
    struct inst_part *part = &thread->block->part;
    note_place(part);
    part->chunk = 0;
    if (thread->paused)
        return inst_write_to_sink();
    if (!part->spare.chunk)
        return next_part(thread);
    part->chunk = part->spare.chunk;
    part->number = part->spare.number;
    part->copied = 0;
    part->spare.chunk = 0;
    inst_segments.cursor = part->spare_cursor;
    begin_run(thread->block, 1);
}

/* Keep a handler's chunk for the next one, if there is enough room in it. */
void inst_put_aside(struct inst_part *part)
{
    struct header *header = (struct header *)part->chunk;
    uintptr_t cursor = inst_segments.cursor;
    note_place(part);
    if (header && !part->copied && !part->spare.chunk && header->runs < MANY_RUNS
        && cursor + ZONE < (uintptr_t)header + LAST) {
        part->spare.chunk = part->chunk;
        part->spare.number = part->number;
        part->spare_cursor = cursor;
    } else {
        inst_release_part(part->chunk, part->number, part->copied);
    }
    part->chunk = 0;
}

void inst_segments_pause(void)
{
    inst_put_aside(&inst_thread.block->part);
    inst_write_to_sink();
}

void inst_segments_resume(void)
{
    inst_take_handlers_chunk(&inst_thread);
}

/* Begin a run after what code has written that goes on where it was; where a chunk has many runs, the
   next check leaves it.

   Handlers may return any number of times before that check, but then a run without blocks is used again:
   its number can change, because no event states it (inst_segments_place).  So only a return after
   a new block takes one more of the header's runs.  When these are used up, the run before goes on and
   its number is the thread's again: a number that no run has is never stated. */
void inst_continue_part(struct inst_block *block, uintptr_t cursor)
{
    struct inst_part *part = &block->part;
    struct header *header = (struct header *)part->chunk;
    uint32_t last = header->runs - 1;
    if (!begin_numbered(block, cursor + WORD)) {
        while (!header->run[last].order)
            last--;
        part->order = header->run[last].order;
        part->start = (uintptr_t)header + header->run[last].start;
    }
    if (header->runs >= MANY_RUNS)
        inst_segments.limit = 0;
}

/* The thread's chunk of events comes first: it describes the thread, and the first one the program. */
void inst_begin_thread(struct inst_thread_state *thread)
{
    if (!thread->block || !thread->block->chunk || thread->forking)
        inst_commit_slow(inst_place_slow());
}

/* Called with signals blocked. */
static void make_room(struct inst_thread_state *thread)
{
    inst_begin_thread(thread);
    int is_paused = inst_paused();
    struct inst_part *part = &thread->block->part;
    struct header *header = (struct header *)part->chunk;
    uintptr_t cursor = inst_segments.cursor;
    if (is_paused)
        inst_write_to_sink();
    else if (!header || cursor >= (uintptr_t)header + LAST || header->runs >= MANY_RUNS)
        next_part(thread);
    else if (cursor >= part->end)
        begin_run(thread->block, 0);
    else
        inst_segments.limit = part->end;
    if (thread->forking)        /* each check calls inst.room, which finds the child */
        inst_segments.limit = inst_segments.cursor + 1;
}

__attribute__((used)) void inst_room_body(void)
{
    uint32_t mask[2];
    if (inst_segments.cursor < inst_segments.limit)
        return;                 /* the code had no register to look by itself */
    inst_block_signals(mask);
    make_room(&inst_thread);
    inst_unblock_signals(mask);
}
INST_PRESERVING(inst_room);
