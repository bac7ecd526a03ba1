/* Handlers of signals that interrupted the program anywhere, maybe in a segment.

   The interrupted code has the place where it writes in registers, and goes on there.  So a handler
   writes to another chunk, and when it returns the thread's own is restored as it was; both begin a
   run with a number of its own, by which readers put them in order. */
#include "calls.h"
#include "output.h"
#include "part.h"

#include <entry.h>
#include <segment_words.h>

enum { WORD = sizeof(uintptr_t), LARGEST_BLOCK = INST_SITE_MOST_WORDS * WORD };

/* Return the distance of the cursor from the thread pointer. */
static int32_t offset_of_cursor(void)
{
    uintptr_t now;
    __asm__ __volatile__(INST_THREAD_POINTER : "=r"(now));
    return (intptr_t)&inst_segments - (intptr_t)now;
}

/* Return the trailer of a block that was being reserved, but is not below the cursor yet; or 0. */
static uintptr_t *find_trailer(uintptr_t *registers)
{
    uintptr_t pc = registers[INST_PC];
    const uint32_t *at = (const uint32_t *)pc;
    if (pc % 4 || pc < 4096
        || !inst_is_readable(at - INST_RESERVING, 4 * (2 * INST_RESERVING)))
        return 0;
    for (int n = 0; n < INST_RESERVING; n++) {
        int pointer = inst_reserves(at - n, offset_of_cursor());
        if (pointer < 0)
            continue;
        uintptr_t trailer = *inst_register(registers, pointer);
        int is_beyond = trailer - inst_segments.cursor - 1 < LARGEST_BLOCK;
        return is_beyond ? (uintptr_t *)trailer : 0;
    }
    return 0;
}

/* Return the words of a block beyond the cursor that was being written: a segment's trailer, or what
   ranges.c writes; or 0 where nothing is.  `end` is the end of what has been written. */
static uintptr_t *find_beyond(const struct inst_part *part, uintptr_t end, uintptr_t *registers)
{
    uintptr_t *after = (uintptr_t *)inst_segments.cursor + 1, *trailer;
    if (!part->chunk || INST_IS_LOOSE || end != inst_segments.cursor)
        return 0;
    trailer = find_trailer(registers);
    return trailer >= after + INST_BEYOND ? trailer : after;
}

/* Clear the words: what was interrupted may never go on, and no block ends in them. */
static void clear_beyond(uintptr_t *beyond)
{
    for (int n = 0; beyond && n < INST_BEYOND; n++)
        beyond[n] = 0;
}

/* Return where the interrupted code has written: its pointer may not have been stored, and values may
   have been stored ahead of it.  In code whose values are no blocks it is one only there; in other code
   it points at a trailer, or the register has the limit, where nothing is written yet. */
static uintptr_t written(const struct inst_part *part, uintptr_t *registers)
{
    uintptr_t pointer = *inst_register(registers, INST_SITE_POINTER), cursor = inst_segments.cursor;
    uintptr_t end = (uintptr_t)part->chunk + CHUNK;
    if (!part->chunk || pointer < cursor || pointer >= end || pointer % WORD)
        return cursor;
    if (INST_IS_LOOSE)
        return pointer + inst_stored_ahead(registers);
    return *(const uintptr_t *)pointer ? pointer : cursor;
}

/* Store the name of a block that the interrupted code has only moved its pointer over; or do what it was
   about to store of the last value that it has loaded, or of registers that arrive, or let it load the value
   again: a signal comes before or after the two, as for re-execution. */
static void store_values(const struct inst_part *part, const struct inst_code *code)
{
    enum { MOST = 128, AROUND = 4 };
    uintptr_t pc = code->registers[INST_PC];
    const uint32_t *at = (const uint32_t *)pc;
    if (!part->chunk || pc % 4 || pc < 4096)
        return;
    if (!INST_IS_LOOSE) {
        if (inst_is_readable(at - 1, 4 * 2) && inst_stores_name(code, (uintptr_t)part->chunk, CHUNK))
            inst_continue_at(code->registers, pc + 4);
        return;
    }
    if (inst_is_readable(at - AROUND, 4 * 2 * AROUND)
        && inst_begins_again(code->registers, (uintptr_t)part->chunk, CHUNK))
        return;
    for (int n = 0; n < MOST && inst_is_readable(at, 4); n++, at++)
        if (!inst_stores_value(*at, code, (uintptr_t)part->chunk, CHUNK, offset_of_cursor()))
            break;
    if ((uintptr_t)at != pc)
        inst_continue_at(code->registers, (uintptr_t)at);
}

/* A fatal signal's event comes after all blocks. */
void inst_segments_settle(const struct inst_code *code)
{
    struct inst_part *part = inst_thread.block ? &inst_thread.block->part : 0;
    if (!part || !inst_segments.cursor)
        return;
    store_values(part, code);
    uintptr_t end = written(part, code->registers);
    clear_beyond(find_beyond(part, end, code->registers));
    inst_segments.cursor = end;
}

void inst_segments_interrupted(struct inst_part *part)
{
    part->interrupted = inst_segments_place();
}

struct inst_arrival inst_segments_arrive(const struct inst_code *code)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_begin_thread(&inst_thread);
    struct inst_block *block = inst_thread.block;
    struct inst_part *part = &block->part;
    inst_release_left(part, inst_interrupted(code->registers, code->frame).stack);
    store_values(part, code);
    struct inst_pin pin = {
        .chunk = part->chunk, .number = part->number, .copied = part->copied,
        .stack = (uintptr_t)code->registers, .serial = ++part->serial,
        .cursor = inst_segments.cursor, .limit = inst_segments.limit,
        .written = written(part, code->registers), .end = part->end,
    };
    pin.beyond = find_beyond(part, pin.written, code->registers);
    for (int n = 0; pin.beyond && n < INST_BEYOND; n++)
        pin.words[n] = pin.beyond[n];
    inst_add_pin(part, &pin);
    clear_beyond(pin.beyond);
    inst_segments.cursor = pin.written;         /* the signal's event comes after it */
    struct inst_arrival arrival = { block, pin.serial, pin.chunk, inst_thread.paused,
                                    inst_segments.spilled };
    inst_unblock_signals(mask);
    return arrival;
}

void inst_segments_leave(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_take_handlers_chunk(&inst_thread);
    inst_unblock_signals(mask);
}

void inst_segments_turn_back(struct inst_arrival arrival)
{
    if (inst_thread.block == arrival.block)
        inst_turn_back(arrival.paused);
}

/* The interrupted code goes on where it was: a run begins after what it had written before. */
static void go_back(struct inst_block *block, const struct inst_pin *pin)
{
    struct inst_part *part = &block->part;
    part->left_out = 0;
    part->chunk = pin->chunk;
    part->number = pin->number;
    part->copied = pin->copied;
    part->end = pin->end;
    inst_segments.cursor = pin->cursor;
    inst_segments.limit = pin->limit;
    if (part->chunk)
        inst_continue_part(block, pin->written);
    for (int n = 0; pin->beyond && n < INST_BEYOND; n++)
        pin->beyond[n] = pin->words[n];
    if (inst_has_to_turn())
        inst_segments.limit = 0;
}

/* Where the interrupted code wrote is no longer the thread's: in a child of fork. */
static void leave_place(struct inst_part *part, uintptr_t *registers, const unsigned char *chunk)
{
    uintptr_t *pointer = inst_register(registers, INST_SITE_POINTER);
    part->left_out = 0;
    part->chunk = 0;
    inst_write_to_sink();
    inst_segments.limit = 0;
    if (chunk && *pointer - (uintptr_t)chunk < CHUNK)
        *pointer = inst_segments.cursor;
}

void inst_segments_return(uintptr_t *registers, struct inst_arrival arrival)
{
    inst_segments.spilled = arrival.spilled;
    struct inst_block *block = inst_thread.block;
    struct inst_part *part = &block->part;
    unsigned n = block == arrival.block ? part->pinned : 0;
    while (n && inst_pin(part, n - 1)->serial != arrival.serial)
        n--;
    inst_put_aside(part);
    if (!n)
        return leave_place(part, registers, arrival.chunk);
    inst_release_pins(part, n);
    part->pinned = n - 1;
    go_back(block, inst_pin(part, n - 1));
}
