/* The file of a ring: made, described and mapped when the trace begins, forgotten by children of fork.

   Slots that threads write to are never taken from them, so a ring has room in memory for more slots
   than it begins with. */
#include "ring_file.h"

#include <asm/errno.h>
#include <asm/fcntl.h>
#include <linux/mman.h>

enum { FEWEST = 16, USUAL = 64, SPARE = 448, NAMED = 4000, HIGH_DESCRIPTOR = 700 };

/* This process's ring. */
#define here inst_recorder.ring

int inst_map_ring(uint32_t from, uint32_t count)
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
    struct control *block = inst_control();
    block->version = INST_RECORDING_VERSION;
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
    error = inst_map_ring(0, 1 + slots);
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

int inst_drain_is_gone(void)
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
    long output = process->fd, fd = inst_drain_is_gone() ? -ENOENT : create(directory);
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
                     "cannot create a ring in ", directory, 0);
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
