/* Chunks whose thread no longer writes to them: the end of their events, and reuse of the rest. */
#include "output.h"
#include "segments.h"

/* Eight words at a time: a trace that goes to a pipe costs a pass over each buffer.  The end is rounded
   up to a word. */
void inst_clear(unsigned char *from, unsigned char *to)
{
    enum { STEP = 8 };
    for (; from < to && (uintptr_t)from % sizeof(uint64_t); from++)
        *from = 0;
    uint64_t *at = (uint64_t *)from;
    for (; to - (unsigned char *)at >= (long)(STEP * sizeof *at); at += STEP) {
        at[0] = at[1] = at[2] = at[3] = 0;
        at[4] = at[5] = at[6] = at[7] = 0;
    }
    for (from = (unsigned char *)at; from < to; from += sizeof(uint32_t))
        *(uint32_t *)from = 0;
}

/* Return where the events of a chunk end, whose thread may have ended: the rest is zero, but more
   events may follow the space of an interrupted one. */
unsigned char *inst_written_end(const struct inst_block *block, unsigned char *chunk)
{
    unsigned char *at = chunk + block->begun, *place = block->place;
    unsigned long room = place && !block->held ? place - block->chunk : CHUNK;
    for (;;) {
        while (at + inst_format.unit <= chunk + CHUNK && *at)
            at += inst_format.unit;
        unsigned long where = at - chunk;
        if (where < room || where >= room + inst_format.reserve)
            return at;
        at = chunk + room + inst_format.reserve;
    }
}

/* Write a buffer out, without the space of an interrupted event. */
void inst_write_around(struct inst_block *block, const unsigned char *from,
                         const unsigned char *to)
{
    const unsigned char *room = block->place;
    if (!room || room < from || room >= to)
        return inst_write_out(from, to);
    block->place_is_out = 1;
    inst_write_out(from, room);
    inst_write_out(room + inst_format.reserve, to);
}

/* Save the unused end of an ended thread's chunk for the next thread, or release the chunk if too
   little of it is left. */
void inst_take_back(struct inst_block *block)
{
    enum { WORTH_IT = CHUNK / 4 };
    unsigned char *chunk = block->chunk;
    inst_clear_room(&block->place);
    inst_release_held(block);
    if (INST_RECORDS)
        inst_segments_take_back(block);
    block->chunk = 0;
    if (!chunk || chunk == inst_sink || inst_process.mode == STOPPED)
        return inst_release(chunk);
    unsigned char *end = inst_written_end(block, chunk), *full = chunk + CHUNK;
    if (inst_process.mode == WRITTEN) {
        inst_write_out(chunk + block->begun, end);
        inst_clear(chunk, end);
        end = chunk;
    }
    if (full - end < WORTH_IT || (block->copied && block->offset >> 32)) {
        inst_format.fill(end, full);
        inst_copy_out(block->copied, chunk, block->offset, CHUNK);
        return inst_release(chunk);
    }
    inst_clear(end, end + inst_format.reserve);      /* an event that it did not end */
    block->rest = chunk;
    block->rest_begun = end - chunk;
}

/* Give a thread the unused end of a finished thread's chunk. */
unsigned char *inst_take_rest(struct inst_block *block)
{
    unsigned char *chunk = block->rest;
    block->begun = block->rest_begun;
    block->rest = 0;
    return inst_process.mode == STOPPED ? inst_sink : chunk;
}
