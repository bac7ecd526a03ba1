/* The file a trace goes to: chunks of it mapped into memory, so that what a killed program has
   written is there; or, where that cannot be, buffers that are written when they are full. */
#include "process.h"
#include "width.h"

#include <asm/errno.h>
#include <linux/mman.h>

enum { SIGNAL_PIPE = 13, SIGNAL_FILE_SIZE = 25 };

static unsigned char sink[2 * START_ROOM];
static const char zeros[4096];

/* Tell whether the descriptor is still the output's. */
static int identify(unsigned long long *device, unsigned long long *inode, unsigned *mode)
{
    inst_file_status status;
    long error = inst_fstat(inst_process.fd, &status);
    if (error)
        return -error;
    *device = status.st_dev;
    *inode = status.st_ino;
    *mode = status.st_mode;
    return 0;
}

/* Return an error number if the program has closed our descriptor, or has put its own there. */
static int look_at_output(void)
{
    unsigned long long device = 0, inode = 0;
    unsigned mode;
    int error = identify(&device, &inode, &mode);
    if (!error && (device != inst_process.device || inode != inst_process.inode))
        error = EBADF;
    return error;
}

/* Take a signal that our own write or allocation caused, so that the program never sees it. */
static void swallow(int number)
{
    /* A mask is 64 bits in longs, the first signals first. */
    unsigned long set[8 / sizeof(long)] = { 1ul << (number - 1) };
    long none[2] = { 0, 0 };
    inst_syscall(__NR_rt_sigtimedwait, (long)set, 0, (long)none, 8, 0, 0);
}

/* Write to a place of the file; return 0 or an error number. */
static int write_at(uint64_t offset, const void *from, unsigned long size)
{
    const char *at = from;
    while (size) {
        long done = inst_pwrite(inst_process.fd, at, size, offset);
        if (done == -EINTR)
            continue;
        if (done <= 0)
            return done ? -done : ENOSPC;
        at += done;
        offset += done;
        size -= done;
    }
    return 0;
}

static int fill_with_zeros(uint64_t offset)
{
    int error = 0;
    for (uint64_t at = offset; !error && at < offset + CHUNK; at += sizeof zeros)
        error = write_at(at, zeros, sizeof zeros);
    return error;
}

/* Make sure of the space, so that no store into the mapping can fail. */
static int reserve(uint64_t offset)
{
    long error;
    do
        error = inst_fallocate(inst_process.fd, offset, CHUNK);
    while (error == -EINTR);
    if (error == -EOPNOTSUPP || error == -ENOSYS)
        error = -fill_with_zeros(offset);
    if (error == -EFBIG)
        swallow(SIGNAL_FILE_SIZE);
    return -error;
}

static unsigned char *map_chunk(uint64_t offset)
{
    long at = inst_mmap(0, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, inst_process.fd, offset);
    return (unsigned long)at > -4096ul ? 0 : (unsigned char *)at;
}

/* Map a chunk beyond 4 GB, if that works: QEMU 7.2 takes such offsets of 32-bit programs modulo
   4 GB, and the start of the trace would be written over. */
static unsigned char *map_far_chunk(uint64_t offset)
{
    static const uint32_t wanted = 0x494e5354;
    unsigned char *chunk = write_at(offset, &wanted, sizeof wanted) ? 0 : map_chunk(offset);
    if (chunk && *(volatile uint32_t *)chunk != wanted) {
        inst_syscall(__NR_munmap, (long)chunk, CHUNK, 0, 0, 0, 0);
        chunk = 0;
    }
    if (chunk)
        *(volatile uint32_t *)chunk = 0;
    else
        write_at(offset, zeros, sizeof wanted);
    return chunk;
}

void inst_stop(const char *what, int error)
{
    inst_process.mode = STOPPED;
    inst_say(what, inst_process.name, error);
}

/* Decide between mapping and writing when the first chunk is wanted. */
static void choose_mode(void)
{
    struct inst_process *process = &inst_process;
    unsigned mode = 0;
    int error = inst_open_output(inst_format.extension);
    if (!error)
        error = identify(&process->device, &process->inode, &mode);
    if (error) {
        inst_stop("cannot write the trace to ", error);
        return;
    }
    process->mode = (mode & 0170000) == 0100000 ? MAPPED : WRITTEN;
    if (process->mode == MAPPED) {
        error = reserve(0);
        unsigned char *at = error ? 0 : map_chunk(0);
        if (error)
            inst_stop("cannot write the trace to ", error);
        else if (!at)
            process->mode = WRITTEN;
        else
            inst_syscall(__NR_munmap, (long)at, CHUNK, 0, 0, 0, 0);
    }
}

static unsigned char *next_mapped(struct inst_block *block)
{
    struct inst_process *process = &inst_process;
    int error = look_at_output();
    if (!error)
        error = reserve(process->next_offset);
    unsigned char *chunk = 0;
    if (!error && process->next_offset >> 32 == 0)
        chunk = map_chunk(process->next_offset);
    else if (!error && !block->copied)
        chunk = map_far_chunk(process->next_offset);
    if (!error && !chunk && process->next_offset >> 32) {
        block->copied = 1;
        chunk = inst_map(CHUNK);
    }
    if (!chunk) {
        inst_stop("cannot write more of the trace to ", error ? error : ENOMEM);
        return 0;
    }
    block->offset = process->next_offset;
    process->next_offset += CHUNK;
    return chunk;
}

static void release(unsigned char *chunk)
{
    if (chunk && chunk != sink)
        inst_syscall(__NR_munmap, (long)chunk, CHUNK, 0, 0, 0, 0);
}

/* Copy a chunk that is not the file's own memory to its place. */
static void copy_out(const struct inst_block *block, const unsigned char *chunk, uint64_t offset,
                     unsigned long size)
{
    int error = block->copied && offset >> 32 ? write_at(offset, chunk, size) : 0;
    if (error && inst_process.mode != STOPPED)
        inst_stop("cannot write more of the trace to ", error);
}

void inst_release_held(struct inst_block *block)
{
    if (block->held)
        copy_out(block, block->held, block->held_offset, CHUNK);
    release(block->held);
    block->held = 0;
}

/* Write a buffer out. */
static void write_out(const unsigned char *from, const unsigned char *to)
{
    int error = look_at_output();
    if (!error)
        error = inst_write_all(inst_process.fd, from, to - from);
    if (error == EPIPE)
        swallow(SIGNAL_PIPE);
    if (error)
        inst_stop("cannot write more of the trace to ", error);
}

static void clear(unsigned char *from, unsigned char *to)
{
    for (; from < to && (uintptr_t)from % sizeof(uint32_t); from++)
        *from = 0;
    for (uint32_t *at = (uint32_t *)from; (unsigned char *)at < to; at++)
        *at = 0;
}

/* Tell where the events of a chunk end whose thread may be gone: what follows is zero, but behind
   the room of an interrupted event more may come. */
static unsigned char *written_end(const struct inst_block *block, unsigned char *chunk)
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

/* Write a buffer out, without the room of an interrupted event. */
static void write_around(struct inst_block *block, const unsigned char *from,
                         const unsigned char *to)
{
    const unsigned char *room = block->place;
    if (!room || room < from || room >= to)
        return write_out(from, to);
    block->place_is_out = 1;
    write_out(from, room);
    write_out(room + inst_format.reserve, to);
}

/* Keep the chunk of a thread that is gone for the next one, from where its events end; or give it
   back if hardly any of it is left. */
void inst_take_back(struct inst_block *block)
{
    enum { WORTH_IT = CHUNK / 4 };
    unsigned char *chunk = block->chunk;
    inst_clear_room(&block->place);
    inst_release_held(block);
    block->chunk = 0;
    if (!chunk || chunk == sink || inst_process.mode == STOPPED)
        return release(chunk);
    unsigned char *end = written_end(block, chunk), *full = chunk + CHUNK;
    if (inst_process.mode == WRITTEN) {
        write_out(chunk, end);
        clear(chunk, end);
        end = chunk;
    }
    if (full - end < WORTH_IT || (block->copied && block->offset >> 32)) {
        inst_format.fill(end, full);
        copy_out(block, chunk, block->offset, CHUNK);
        return release(chunk);
    }
    clear(end, end + inst_format.reserve);      /* an event that it did not end */
    block->rest = chunk;
    block->rest_begun = end - chunk;
}

/* Give a thread the end of a chunk that a finished one has left. */
static unsigned char *take_rest(struct inst_block *block)
{
    unsigned char *chunk = block->rest;
    block->begun = block->rest_begun;
    block->rest = 0;
    return inst_process.mode == STOPPED ? sink : chunk;
}

/* Give a block another chunk for the one that ends there, which is kept for an interrupted hook or
   not; while another thread ends the trace, there is none. */
static unsigned char *exchange(struct inst_block *block, unsigned char *end, int keep, int over)
{
    struct inst_process *process = &inst_process;
    unsigned char *old = block->chunk, *new = 0;
    if (process->mode == MAPPED) {
        uint64_t offset = block->offset;
        unsigned char *full = block->chunk_end;
        block->held_offset = keep ? offset : block->held_offset;
        new = over ? 0 : next_mapped(block);
        if (old && old != sink) {
            /* If it cannot go on, zeros say that the trace is cut off here. */
            if (new || over)
                inst_format.fill(end, full);
            copy_out(block, old, offset, CHUNK);
        }
    } else if (process->mode == WRITTEN) {
        if (old)
            write_around(block, old, end);
        if (old && !keep && !over) {
            clear(old, end);
            new = old;
        } else if (!over) {
            new = inst_map(CHUNK);
        }
        if (!new && !over)
            inst_stop("cannot write more of the trace to ", ENOMEM);
    }
    if (process->mode == STOPPED || over)
        new = sink;
    if (keep)
        block->held = old;
    else if (old != new)
        release(old);
    return new;
}

/* Give the thread another chunk to write to. */
void inst_next_chunk(struct inst_thread *thread)
{
    struct inst_process *process = &inst_process;
    struct inst_block *block = thread->block;
    int nested = thread->nested_end != 0, first = !block->chunk;
    unsigned char *end = nested ? thread->nested_end : thread->cursor;
    inst_lock_process();
    int start = !process->begun, over = process->ending && process->ending != thread;
    if (start)
        choose_mode();
    if (block->rest && first && !over) {
        block->chunk = take_rest(block);
    } else {
        block->chunk = exchange(block, end, nested && !block->held, over);
        block->begun = 0;
    }
    block->chunk_end = block->chunk + (block->chunk == sink ? sizeof sink : CHUNK);
    process->begun = 1;
    uint32_t *id = nested ? &block->nested_id : &thread->next_id;
    if (first || block->last_id != process->next_id)
        *id = process->next_id;
    process->next_id = block->last_id = *id + inst_format.ids;
    inst_unlock_process();
    unsigned char *at = block->chunk;
    if (block->chunk != sink) {
        at += block->begun;
        if (start)
            at = inst_format.begin(at);
        at = inst_format.begin_chunk(at, first);
    }
    thread->cursor = at;
    if (nested)
        thread->nested_end = at;
    else
        inst_set_limit(thread);
}

/* Events may begin below this: there is room for one. */
unsigned char *inst_next_limit(const struct inst_block *block)
{
    return block->chunk_end - inst_format.reserve + 1;
}

/* Let the short way write on; while something is watched or forks, each event asks first. */
void inst_set_limit(struct inst_thread *thread)
{
    thread->limit = inst_watching() || thread->forking ? 0 : inst_next_limit(thread->block);
}

/* Tell whether what goes to a chunk now comes last in the trace. */
int inst_at_end(const struct inst_block *block)
{
    return inst_process.mode != MAPPED || block->offset + CHUNK == inst_process.next_offset;
}

/* Let another thread, which may be running, write to memory of its own from now on; return the
   chunk as it stands in the file, or 0. */
static unsigned char *take_over(unsigned char *chunk, uint64_t offset)
{
    inst_mmap(chunk, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return map_chunk(offset);
}

/* Clear the room of another thread's interrupted hook, which now writes elsewhere. */
static void clear_room_in(struct inst_block *block, const unsigned char *before,
                          unsigned char *chunk)
{
    unsigned char *place = block->place;
    if (!place)
        return;
    unsigned char *there = chunk + (place - before);
    inst_clear_room(&there);
}

/* The same for a chunk that another thread's interrupted hook keeps. */
static void finish_held(struct inst_block *block)
{
    unsigned char *chunk = block->copied && block->held_offset >> 32
                               ? 0 : take_over(block->held, block->held_offset);
    if (!chunk)
        return;
    clear_room_in(block, block->held, chunk);
    release(chunk);
}

/* Fill the rest of a chunk; return where the events end in the file. */
static uint64_t finish_mapped(struct inst_block *block, struct inst_thread *thread)
{
    int own = block == thread->block, last = block->offset + CHUNK == inst_process.next_offset;
    if (block->copied && block->offset >> 32) {
        unsigned char *end = own ? thread->cursor : written_end(block, block->chunk);
        copy_out(block, block->chunk, block->offset, end - block->chunk);
        return block->offset + (end - block->chunk);
    }
    unsigned char *chunk = own ? block->chunk : take_over(block->chunk, block->offset);
    if (!chunk)
        return block->offset + CHUNK;
    unsigned char *end = own ? thread->cursor : written_end(block, chunk);
    if (!own && !block->held)
        clear_room_in(block, block->chunk, chunk);
    if (!last)
        inst_format.fill(end, chunk + CHUNK);
    if (!own)
        release(chunk);
    return block->offset + (end - chunk);
}

static void finish_written(struct inst_block *block, struct inst_thread *thread)
{
    unsigned char *end = block == thread->block ? thread->cursor : written_end(block, block->chunk);
    write_around(block, block->chunk, end);
    clear(block->chunk, end);
}

/* At the normal end of the process: everything out, and the file as long as its content. */
void inst_finish_output(struct inst_thread *thread)
{
    struct inst_process *process = &inst_process;
    if (!process->begun || process->mode == STOPPED)
        return;
    int error = look_at_output();
    if (error) {
        inst_stop("cannot write the end of the trace to ", error);
        return;
    }
    inst_lock_process();
    uint64_t length = process->next_offset;
    for (struct inst_block *block = process->blocks; block; block = block->next) {
        if (process->mode == MAPPED && block->held)
            finish_held(block);
        if (!block->chunk || block->chunk == sink)
            continue;
        if (process->mode == WRITTEN) {
            finish_written(block, thread);
        } else {
            uint64_t end = finish_mapped(block, thread);
            if (block->offset + CHUNK == process->next_offset)
                length = end;
        }
    }
    if (process->next_offset)
        inst_ftruncate(process->fd, length);
    process->mode = STOPPED;
    if (thread->block) {
        release(thread->block->chunk);
        thread->block->chunk = sink;
        thread->block->chunk_end = sink + sizeof sink;
        thread->cursor = sink;
        thread->limit = inst_next_limit(thread->block);
    }
    inst_unlock_process();
}

/* Let the hook go on that a handler interrupted which has forked: in the child it has memory of
   its own to write to, and inst_again tells it to write to the child's trace. */
static void inherit(struct inst_thread *thread)
{
    struct inst_process *process = &inst_process;
    struct inst_block *block = thread->block;
    if (!block || !thread->busy || thread->busy == (uintptr_t)INST_NOT_STARTED)
        return;
    unsigned char **chunk = block->held ? &block->held : &block->chunk;
    if (!*chunk || *chunk == sink)
        return;
    inst_release_inherited();
    process->inherited = thread->nested_end ? block->place : thread->cursor;
    process->inherited_chunk = *chunk;
    inst_mmap(*chunk, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
              0);
    *chunk = 0;
}

void inst_release_inherited(void)
{
    release(inst_process.inherited_chunk);
    inst_process.inherited = inst_process.inherited_chunk = 0;
}

/* In a child: what is mapped and opened belongs to the parent. */
void inst_forget_output(struct inst_thread *thread)
{
    struct inst_process *process = &inst_process;
    inherit(thread);
    for (struct inst_block *block = process->blocks; block; block = block->next) {
        release(block->chunk);
        release(block->held);
        release(block->rest);
    }
    if (process->begun && process->mode != STOPPED)
        inst_syscall(__NR_close, process->fd, 0, 0, 0, 0, 0);
    /* Half a stream would come from each of two processes: only files are followed. */
    process->begun = process->mode == WRITTEN;
    process->mode = process->mode == WRITTEN ? STOPPED : CLOSED;
    process->next_offset = 0;
    process->next_id = 0;
    process->order = 0;
    process->blocks = process->asked = 0;
    process->threads = 0;
}
