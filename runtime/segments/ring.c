/* A ring: a file with slots for chunks, each of which holds one chunk after the other.

   Chunks have the numbers that they would have in a file that holds all of them, and their offsets in
   the runtime's own state are those of that file.  Where another process takes full chunks away
   (INST_DRAIN), a program that finds no free slot waits.  Otherwise (INST_RING) it takes the one that
   was given up first: the file holds the end of the recording.  The file is mapped once, so that chunks
   cost neither fresh pages nor system calls.

   Slots that threads write to are never taken from them, so a ring of which all slots are
   in use gets more. */
#include "ring.h"
#include "part.h"
#include "width.h"

#include <asm/errno.h>
#include <asm/fcntl.h>
#include <linux/mman.h>

enum { FEWEST = 16, USUAL = 64, SPARE = 448, TABLE = 8192, NAMED = 4000, HIGH_DESCRIPTOR = 700 };
enum { FREE, BEING_WRITTEN, FULL, KEPT };
enum { DRAINED = 'd', FLIGHT = 'f', ENDED = 1 };

struct slot {
    volatile uint32_t state, number;
    volatile uint64_t released;         /* the order when it was given up */
};
enum { MOST = (CHUNK - TABLE) / (int)sizeof(struct slot) };

struct control {
    volatile char magic[8];
    unsigned char version, word, byte_order, kind, chunk[4];    /* big-endian */
    volatile uint32_t slots, pid, next, finished, waits, overwritten;
    unsigned char unused[24];
    volatile uint64_t unsaved, complete_from;
    unsigned char unused_too[48];
    char name[TABLE - 128];
    struct slot slot[MOST];
};
_Static_assert(offsetof(struct control, unsaved) == 64, "a field of the ring has another place");
_Static_assert(offsetof(struct control, name) == 128, "a field of the ring has another place");
_Static_assert(offsetof(struct control, slot) == TABLE, "the table has another place");

/* This process's ring. */
#define here inst_recorder.ring

static struct control *control(void)
{
    return (struct control *)inst_process.ring;
}

static unsigned char *place_of(uint32_t n)
{
    return inst_process.ring + (1 + n) * (unsigned long)CHUNK;
}

/* Return which slot lies at an address, or -1. */
static long slot_at(const unsigned char *chunk)
{
    unsigned long distance = chunk - inst_process.ring;
    if (!inst_process.ring || distance >= (1 + here.most) * (unsigned long)CHUNK)
        return -1;
    for (uint32_t n = 0; n < control()->slots; n++)
        if (chunk == place_of(n))
            return n;
    return -1;
}

/* Map slots of the file, of which the first is number `from` of all chunks of the file. */
static int map_file(uint32_t from, uint32_t count)
{
    unsigned long at = (unsigned long)inst_process.ring + from * (unsigned long)CHUNK;
    long got = inst_mmap((void *)at, count * (unsigned long)CHUNK, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_FIXED, inst_process.fd, (uint64_t)from * CHUNK);
    return (unsigned long)got > -4096ul ? (int)-got : 0;
}

static void unmap(void)
{
    inst_syscall(__NR_munmap, (long)inst_process.ring, (1 + here.most) * (unsigned long)CHUNK, 0, 0,
                 0, 0);
    inst_process.ring = 0;
}

/* Give up what a child keeps of its parent's ring. */
static void release_parents(void)
{
    if (here.parents)
        inst_syscall(__NR_munmap, (long)here.parents, CHUNK, 0, 0, 0, 0);
    here.parents = 0;
}

static int reserve(uint32_t slots)
{
    int error = 0;
    for (uint64_t n = 0; !error && n <= slots; n++)
        error = inst_reserve(n * CHUNK);
    return error;
}

/* Describe the ring; its first word comes last. */
static void describe(uint32_t slots, int kind, const char *name)
{
    struct control *block = control();
    block->version = INST_VERSION;
    block->word = sizeof(uintptr_t);
    block->byte_order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 'b' : 'l';
    block->kind = kind;
    for (int n = 0; n < 4; n++)
        block->chunk[n] = (uint32_t)CHUNK >> (24 - 8 * n);
    block->slots = slots;
    block->pid = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    *inst_text(block->name, block->name + NAMED - 1, name) = 0;
    inst_ordered();
    for (int n = 7; n >= 0; n--)
        block->magic[n] = "INST-RNG"[n];
}

/* Make a ring of the file whose descriptor is the process's; return 0 or an error number. */
static int make(uint32_t slots, int kind, const char *name)
{
    here.most = slots + SPARE < MOST ? slots + SPARE : MOST;
    here.next = 0;
    int error = reserve(slots);
    if (error)
        return error;
    long at = inst_mmap(0, (1 + here.most) * (unsigned long)CHUNK, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if ((unsigned long)at > -4096ul)
        return -at;
    inst_process.ring = (unsigned char *)at;
    error = map_file(0, 1 + slots);
    if (error)
        unmap();
    else
        describe(slots, kind, name);
    return error;
}

/* Create the ring's file in the directory: ID-1.ring, or the next number that is free, since exec
   does not change the process's id. */
static long create(const char *directory)
{
    enum { TRIES = 1000 };
    char name[NAME], *end = name + NAME - 1;
    long fd = -EEXIST;
    for (int n = 1; fd == -EEXIST && n < TRIES; n++) {
        char *at = inst_text(inst_text(name, end, directory), end, "/");
        at = inst_decimal(at, end, inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0));
        at = inst_decimal(inst_text(at, end, "-"), end, n);
        *inst_text(at, end, ".ring") = 0;
        fd = inst_syscall(__NR_open, (long)name,
                          O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | INST_OPEN_LARGE,
                          0600, 0, 0, 0);
    }
    if (fd < 0)
        return fd;
    long high = inst_syscall(__NR_fcntl, fd, 1030 /* F_DUPFD_CLOEXEC */, HIGH_DESCRIPTOR, 0, 0, 0);
    if (high < 0)
        return fd;
    inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    return high;
}

/* Return whether no process takes chunks away: it locks a file as long as it runs. */
static int drain_is_gone(void)
{
    enum { SHARED = 1, DO_NOT_WAIT = 4 };
    long fd = inst_syscall(__NR_open, (long)here.drain, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return 1;
    long locked = inst_syscall(__NR_flock, fd, SHARED | DO_NOT_WAIT, 0, 0, 0, 0);
    inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    return locked >= 0;
}

static uint32_t slots_for(const char *variable, uint32_t usual)
{
    uint64_t wanted = 0;
    if (!inst_read_number(variable, &wanted))
        return usual;
    return wanted < FEWEST ? FEWEST : wanted > MOST - SPARE ? MOST - SPARE : wanted;
}

/* Put the trace's chunks into a ring in the directory; the output remains open, so that it is locked.
   Without space for a ring, they go to the output. */
static void open_drained(const char *directory)
{
    struct inst_process_state *process = &inst_process;
    *inst_text(inst_text(here.drain, here.drain + NAME - 1, directory), here.drain + NAME - 1,
               "/drain") = 0;
    long output = process->fd, fd = drain_is_gone() ? -ENOENT : create(directory);
    int error = fd < 0 ? -fd : 0;
    if (!error) {
        process->fd = fd;
        error = make(slots_for("INST_DRAIN_SLOTS", USUAL), DRAINED, process->name);
        if (error) {
            inst_ftruncate(fd, 0);
            inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
            process->fd = output;
        }
    }
    if (error)
        inst_message("the recording is not compressed while the program runs: "
                     "there can be no ring in ", directory, 0);
    else
        process->output = output;
}

static int open_flight(uint64_t size)
{
    uint64_t slots = 0;
    for (uint64_t at = 2 * CHUNK; at <= size && slots < MOST - SPARE; at += CHUNK)
        slots++;
    return make(slots < FEWEST ? FEWEST : slots, FLIGHT, inst_process.name);
}

/* Make the ring that the environment asks for; return 0 or an error number. */
int inst_open_ring(void)
{
    struct inst_process_state *process = &inst_process;
    const char *directory = inst_environment("INST_DRAIN");
    uint64_t size = 0;
    unsigned mode;
    int error = 0;
    process->output = -1;
    if (inst_read_size("INST_RING", &size))
        error = open_flight(size);
    else if (directory && *directory)
        open_drained(directory);
    if (!error && process->ring)
        error = inst_identify(&process->device, &process->inode, &mode);
    release_parents();
    return error;
}

/* The first chunk has its first records: the output has a copy, so that it names its process. */
void inst_ring_began(const unsigned char *start)
{
    struct inst_process_state *process = &inst_process;
    if (process->output >= 0)
        inst_pwrite(process->output, start, START_ROOM, 0);
}

/* Return the slot with a chunk of the file, or -1. */
static long slot_of(uint64_t offset)
{
    for (uint32_t n = 0; n < control()->slots; n++)
        if ((uint64_t)control()->slot[n].number * CHUNK == offset
            && control()->slot[n].state != FREE)
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
        inst_clear(place_of(n), place_of(n) + CHUNK);
}

static long find_free(void)
{
    uint32_t slots = control()->slots;
    for (uint32_t n = 0; n < slots; n++) {
        uint32_t one = here.next + n < slots ? here.next + n : here.next + n - slots;
        if (control()->slot[one].state == FREE) {
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
    for (uint32_t n = 0; n < control()->slots; n++)
        if (control()->slot[n].state == FULL
            && (first < 0 || control()->slot[n].released < control()->slot[first].released))
            first = n;
    return first;
}

static long overwrite(long n)
{
    if (n < 0)
        return n;
    struct slot *slot = &control()->slot[n];
    slot->state = FREE;
    if (slot->released > control()->complete_from)
        control()->complete_from = slot->released;
    if (!control()->overwritten++)
        inst_write_partial("ring");
    clear(n);
    return n;
}

/* Add a slot; return it, or -1 if there can be none. */
static long add_slot(void)
{
    uint32_t n = control()->slots;
    if (n >= here.most || inst_look_at_output() || inst_reserve((uint64_t)(1 + n) * CHUNK)
        || map_file(1 + n, 1))
        return -1;
    control()->slots = n + 1;
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
    control()->waits++;
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
            if (drain_is_gone())
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
    if (control()->kind == DRAINED)
        return wait_for_slot();
    n = overwrite(find_first());
    return n < 0 ? add_slot() : n;
}

/* Return why there is no slot. */
static int reason(void)
{
    if (control()->kind != DRAINED || find_first() < 0)
        return INST_NO_SLOT;
    inst_write_partial("drain");
    control()->unsaved += CHUNK;
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
    struct slot *slot = &control()->slot[n];
    slot->number = control()->next++;
    slot->released = 0;
    inst_ordered();
    int is_kept = !slot->number || (here.tables && control()->kind == FLIGHT);
    slot->state = is_kept ? KEPT : BEING_WRITTEN;
    *offset = process->next_offset;
    process->next_offset += CHUNK;
    return place_of(n);
}

static void give_up(struct slot *slot)
{
    slot->released = inst_process.order;
    inst_ordered();
    slot->state = FULL;
}

/* No thread writes to a chunk any longer.  Return whether it is one of the ring's. */
int inst_release_slot(const unsigned char *chunk)
{
    long n = slot_at(chunk);
    if (n >= 0 && control()->slot[n].state == BEING_WRITTEN && !control()->finished)
        give_up(&control()->slot[n]);
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
    if (!inst_process.ring || control()->finished)
        return;
    for (uint32_t n = 0; n < control()->slots; n++)
        if (control()->slot[n].state == BEING_WRITTEN)
            give_up(&control()->slot[n]);
    inst_ordered();
    control()->finished = ENDED;
}

/* In a child of fork: the ring is its parent's.  Its first chunk remains mapped, which shows what
   empties rings that one of this process may come, until it has come. */
void inst_forget_ring(void)
{
    struct inst_process_state *process = &inst_process;
    if (!process->ring)
        return;
    release_parents();
    here.parents = process->ring;
    inst_syscall(__NR_munmap, (long)here.parents + CHUNK, here.most * (unsigned long)CHUNK, 0, 0, 0, 0);
    process->ring = 0;
    if (process->output >= 0)
        inst_syscall(__NR_close, process->output, 0, 0, 0, 0, 0);
    process->output = -1;
}
