/* A ring: a file with slots for chunks, each of which holds one chunk after the other.

   Chunks have the numbers that they would have in a file that holds all of them, and their offsets in
   the runtime's own state are those of that file.  Where another process takes full chunks away
   (INST_DRAIN), a program that finds no free slot waits.  Otherwise (INST_RING) it takes the one that
   was given up first: the file holds the end of the recording.  The file is mapped once, so that chunks
   cost neither fresh pages nor system calls; ring_file.c makes it.

   Slots that threads write to are never taken from them, so a ring of which all slots are
   in use gets more. */
#include "ring.h"
#include "ring_file.h"

/* This process's ring. */
#define here inst_recorder.ring

/* Return which slot lies at an address, or -1. */
static long slot_at(const unsigned char *chunk)
{
    unsigned long distance = chunk - inst_process.ring;
    if (!inst_process.ring || distance >= (1 + here.most) * (unsigned long)CHUNK)
        return -1;
    for (uint32_t n = 0; n < inst_control()->slots; n++)
        if (chunk == inst_place_of(n))
            return n;
    return -1;
}

/* Return the slot with a chunk of the file, or -1. */
static long slot_of(uint64_t offset)
{
    for (uint32_t n = 0; n < inst_control()->slots; n++)
        if ((uint64_t)inst_control()->slot[n].number * CHUNK == offset
            && inst_control()->slot[n].state != FREE)
            return n;
    return -1;
}

/* Map a chunk once more, if the program has not closed our descriptor. */
unsigned char *inst_map_slot(uint64_t offset)
{
    long n = slot_of(offset);
    return n < 0 || inst_look_at_output() ? 0 : inst_map_chunk((uint64_t)(1 + n) * CHUNK);
}

/* Have the kernel clear a slot: with stores that took as many instructions as some programs have. */
static void clear(uint32_t n)
{
    enum { PIECE = 4096, PIECES = CHUNK / PIECE };
    static const unsigned char zeros[PIECE];
    struct {
        const void *from;
        unsigned long size;
    } pieces[PIECES];
    for (int one = 0; one < PIECES; one++) {
        pieces[one].from = zeros;
        pieces[one].size = PIECE;
    }
    uint64_t at = (uint64_t)(1 + n) * CHUNK;
    long done = inst_look_at_output()
                    ? 0
                    : inst_syscall(__NR_pwritev, inst_process.fd, (long)pieces, PIECES, (long)at,
                                   sizeof(long) == 4 ? (long)(at >> 32) : 0, 0);
    if (done != CHUNK)
        inst_clear(inst_place_of(n), inst_place_of(n) + CHUNK);
}

static long find_free(void)
{
    uint32_t slots = inst_control()->slots;
    for (uint32_t n = 0; n < slots; n++) {
        uint32_t one = here.next + n < slots ? here.next + n : here.next + n - slots;
        if (inst_control()->slot[one].state == FREE) {
            here.next = one + 1;
            return one;
        }
    }
    return -1;
}

/* Return the full slot that was given up first, or -1. */
static long find_first(void)
{
    long first = -1;
    for (uint32_t n = 0; n < inst_control()->slots; n++)
        if (inst_control()->slot[n].state == FULL
            && (first < 0 || inst_control()->slot[n].released < inst_control()->slot[first].released))
            first = n;
    return first;
}

static long overwrite(long n)
{
    if (n < 0)
        return n;
    struct slot *slot = &inst_control()->slot[n];
    slot->state = FREE;
    if (slot->released > inst_control()->complete_from)
        inst_control()->complete_from = slot->released;
    if (!inst_control()->overwritten++)
        inst_write_partial("ring");
    clear(n);
    return n;
}

/* Add a slot; return it, or -1 if there can be none. */
static long add_slot(void)
{
    uint32_t n = inst_control()->slots;
    if (n >= here.most || inst_look_at_output() || inst_reserve((uint64_t)(1 + n) * CHUNK)
        || inst_map_ring(1 + n, 1))
        return -1;
    inst_control()->slots = n + 1;
    return n;
}

/* Sleep, longer each time; other threads go on, but while the table is written. */
static void wait_a_little(long *microseconds)
{
    enum { LONGEST = 2000 };
    long time[2] = { 0, *microseconds * 1000 };
    if (!here.tables)
        inst_unlock_process();
    inst_syscall(__NR_nanosleep, (long)time, 0, 0, 0, 0, 0);
    if (!here.tables)
        inst_lock_process();
    *microseconds = *microseconds < LONGEST ? 2 * *microseconds : LONGEST;
}

/* Return whether the trace has been ended by another thread. */
static int is_over(void)
{
    const struct inst_process_state *process = &inst_process;
    return process->mode != MAPPED || (process->ending && process->ending != &inst_thread);
}

/* Wait for a slot; return -1 if it will not come, or the trace has been ended. */
static long wait_for_slot(void)
{
    enum { BETWEEN = 50000 };
    long wait = 100, waited = 0, n = -1;
    inst_control()->waits++;
    while (n < 0) {
        if (find_first() < 0)   /* all of them are in use */
            return add_slot();
        wait_a_little(&wait);
        if (is_over())
            return -1;
        n = find_free();
        waited += wait;
        if (n < 0 && waited > BETWEEN) {
            waited = 0;
            if (inst_drain_is_gone())
                return -1;
        }
    }
    return n;
}

static long take_slot(void)
{
    long n = find_free();
    if (n >= 0)
        return n;
    if (inst_control()->kind == DRAINED)
        return wait_for_slot();
    n = overwrite(find_first());
    return n < 0 ? add_slot() : n;
}

/* Return why there is no slot. */
static int reason(void)
{
    if (inst_control()->kind != DRAINED || find_first() < 0)
        return INST_NO_SLOT;
    inst_write_partial("drain");
    inst_control()->unsaved += CHUNK;
    return INST_NO_DRAIN;
}

/* Return the next chunk of a ring, with the place that it would have in a file of all chunks; 0 if there
   is none.  Called with the process's lock. */
unsigned char *inst_next_slot(uint64_t *offset)
{
    struct inst_process_state *process = &inst_process;
    long n = take_slot();
    if (n < 0) {
        if (!is_over())
            inst_stop("cannot write more of the trace to ", reason());
        return 0;
    }
    struct slot *slot = &inst_control()->slot[n];
    slot->number = inst_control()->next++;
    slot->released = 0;
    inst_ordered();
    int is_kept = !slot->number || (here.tables && inst_control()->kind == FLIGHT);
    slot->state = is_kept ? KEPT : BEING_WRITTEN;
    *offset = process->next_offset;
    process->next_offset += CHUNK;
    return inst_place_of(n);
}

static void give_up(struct slot *slot)
{
    slot->released = inst_last_order();
    inst_ordered();
    slot->state = FULL;
}

/* No thread writes to a chunk any longer.  Return whether it is one of the ring's. */
int inst_release_slot(const unsigned char *chunk)
{
    long n = slot_at(chunk);
    if (n >= 0 && inst_control()->slot[n].state == BEING_WRITTEN && !inst_control()->finished)
        give_up(&inst_control()->slot[n]);
    return n >= 0;
}

/* Tables have chunks with numbers in sequence, and a flight recorder keeps them. */
void inst_begin_tables(int begins)
{
    here.tables = begins;
}

/* The process has ended its recording. */
void inst_finish_ring(void)
{
    if (!inst_process.ring || inst_control()->finished)
        return;
    for (uint32_t n = 0; n < inst_control()->slots; n++)
        if (inst_control()->slot[n].state == BEING_WRITTEN)
            give_up(&inst_control()->slot[n]);
    inst_ordered();
    inst_control()->finished = ENDED;
}

