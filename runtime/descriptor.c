/* The descriptor of a trace's file: writing, reserving and mapping, and their failures. */
#include "output.h"
#include "width.h"

#include <asm/errno.h>
#include <linux/mman.h>

enum { SIGNAL_PIPE = 13, SIGNAL_FILE_SIZE = 25 };

static const char zeros[4096];

/* Return whether the descriptor is still the output's. */
int inst_identify(unsigned long long *device, unsigned long long *inode, unsigned *mode)
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
int inst_look_at_output(void)
{
    unsigned long long device = 0, inode = 0;
    unsigned mode;
    int error = inst_identify(&device, &inode, &mode);
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
int inst_write_at(uint64_t offset, const void *from, unsigned long size)
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
        error = inst_write_at(at, zeros, sizeof zeros);
    return error;
}

/* Make sure of the space, so that no store into the mapping can fail. */
int inst_reserve(uint64_t offset)
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

unsigned char *inst_map_chunk(uint64_t offset)
{
    long at = inst_mmap(0, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, inst_process.fd, offset);
    return (unsigned long)at > -4096ul ? 0 : (unsigned char *)at;
}

/* Map a chunk beyond 4 GB, if that works: QEMU 7.2 takes such offsets of 32-bit programs modulo
   4 GB, and the start of the trace would be written over. */
unsigned char *inst_map_far_chunk(uint64_t offset)
{
    static const uint32_t wanted = 0x494e5354;
    unsigned char *chunk = inst_write_at(offset, &wanted, sizeof wanted) ? 0 : inst_map_chunk(offset);
    if (chunk && *(volatile uint32_t *)chunk != wanted) {
        inst_syscall(__NR_munmap, (long)chunk, CHUNK, 0, 0, 0, 0);
        chunk = 0;
    }
    if (chunk)
        *(volatile uint32_t *)chunk = 0;
    else
        inst_write_at(offset, zeros, sizeof wanted);
    return chunk;
}

/* Write a buffer out. */
void inst_write_out(const unsigned char *from, const unsigned char *to)
{
    int error = inst_look_at_output();
    if (!error)
        error = inst_write_all(inst_process.fd, from, to - from);
    if (error == EPIPE)
        swallow(SIGNAL_PIPE);
    if (error)
        inst_stop("cannot write more of the trace to ", error);
}

/* Copy a chunk that is not the file's own memory to its place. */
void inst_copy_out(int copied, const unsigned char *chunk, uint64_t offset, unsigned long size)
{
    int error = copied && offset >> 32 ? inst_write_at(offset, chunk, size) : 0;
    if (error && inst_process.mode != STOPPED)
        inst_stop("cannot write more of the trace to ", error);
}
