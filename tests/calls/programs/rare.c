/* Make the system calls that few programs make.  The kernel or the emulator may have none of some;
   what they would read is told before they are asked. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include "expect.h"

#define N(POINTER, SIZE) P(POINTER), (unsigned long)(SIZE)
/* The nodes of a mask of so many bits less one. */
#define LONGS(BITS) (((BITS) - 1 + 8 * sizeof(long) - 1) / (8 * sizeof(long)) * sizeof(long))
#define OLD(SUCCEEDED, MORE) (result < 0 ? (SUCCEEDED) : (MORE))

static char path[] = "/", name[] = "key", word[] = "value", no_file[] = "/nowhere/file", room[4096];

int main(int count, char **words)
{
    struct iovec vectors[2] = { { room, 100 }, { room + 100, 7 } };
    struct mount_attr attributes = { 0 };
    struct open_how how = { O_RDONLY };
    struct {
        struct file_handle handle;
        char more[MAX_HANDLE_SZ];
    } file = { { MAX_HANDLE_SZ } };
    struct futex_waitv waiters[2] = { { 0 } };
    struct landlock_ruleset_attr rules = { 1 };
    struct landlock_path_beneath_attr beneath = { 1, -1 };
    struct io_uring_params ring = { 0 };
    struct {
        unsigned short length;
        void *filter;
    } filter = { 0, 0 };
    struct timespec past = { 0, 0 };
    unsigned long nodes[4] = { 1 }, others[4] = { 1 };
    void *pages[2] = { room, room };
    int numbers[2] = { 0 }, status[2], mount, policy, closed = -1;
    char iocb[64] = { 0 };
    unsigned long context = 0;

    CALL(syscall(SYS_fsopen, name, 0x100), "r", S(name));
    CALL(syscall(SYS_fspick, closed, path, 0x100), "r", S(path));
    CALL(syscall(SYS_open_tree, closed, no_file, 0x8000), "r", S(no_file));
    CALL(syscall(SYS_move_mount, closed, name, closed, word, 0), "rr", S(name), S(word));
    CALL(syscall(SYS_fsconfig, closed, 0, name, 0, 0), "r", S(name));
    CALL(syscall(SYS_fsconfig, closed, 1, name, word, 0), "rr", S(name), S(word));
    CALL(syscall(SYS_fsconfig, closed, 2, name, room, 11), "rr", S(name), N(room, 11));
    CALL(syscall(SYS_fsconfig, closed, 3, name, word, closed), "rr", S(name), S(word));
    CALL(syscall(SYS_mount_setattr, closed, no_file, 0, &attributes, sizeof attributes), "rr",
         S(no_file), V(attributes));
    CALL(syscall(SYS_openat2, closed, no_file, &how, sizeof how), "rr", S(no_file), V(how));
    CALL(syscall(SYS_name_to_handle_at, AT_FDCWD, path, &file, &mount, 0), OLD("rr", "rrww"),
         S(path), N(&file, 8), N(&file, 8 + file.handle.handle_bytes), V(mount));
    CALL(syscall(SYS_open_by_handle_at, closed, &file, O_RDONLY), "r",
         N(&file, 8 + file.handle.handle_bytes));
#ifdef SYS_kexec_file_load
    CALL(syscall(SYS_kexec_file_load, closed, closed, 6ul, word, 0), "r", S(word));
#endif
    CALL(syscall(SYS_futex_waitv, waiters, 2, 0, 0, CLOCK_MONOTONIC), "r", V(waiters));
    CALL(syscall(SYS_process_madvise, closed, vectors, 2, MADV_COLD, 0), "r", V(vectors));
    CALL(syscall(SYS_mbind, room, 4096, 0x7fff, nodes, 65ul, 0), "r", N(nodes, LONGS(65)));
    CALL(syscall(SYS_set_mempolicy, 0x7fff, nodes, 64ul), "r", N(nodes, LONGS(64)));
    CALL(syscall(SYS_get_mempolicy, &policy, nodes, 128ul, 0, 0), OLD("", "ww"), V(policy),
         N(nodes, LONGS(128)));
    CALL(syscall(SYS_migrate_pages, -1, 2ul, nodes, others), "rr", N(nodes, LONGS(2)),
         N(others, LONGS(2)));
    CALL(syscall(SYS_move_pages, -1, 2ul, pages, numbers, status, 0), "rr", V(pages), V(numbers));
    CALL(syscall(SYS_io_uring_setup, 0, &ring), "r", V(ring));
    CALL(syscall(SYS_io_setup, 1, &context), OLD("", "w"), V(context));
    CALL(syscall(SYS_io_cancel, context + 1, iocb, room), "r", V(iocb));
    CALL(syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0x100), "r", V(rules));
    CALL(syscall(SYS_landlock_add_rule, closed, 1, &beneath, 0), "r", N(&beneath, 12));
    CALL(syscall(SYS_seccomp, 1, 0, &filter), "r", N(&filter, 2 * sizeof(long)));
    CALL(syscall(SYS_epoll_pwait2, closed, room, 1, &past, 0, 8), "r", N(&past, 16));
    CALL(syscall(SYS_process_vm_readv, -1, vectors, 2, vectors, 2, 0), "rr", V(vectors), V(vectors));
    write(1, lines, at - lines);
    return 0;
}
