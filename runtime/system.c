/* System services of the runtime: memory, signals, text, messages. */
#include "calls.h"
#include "process.h"
#include "width.h"

#include <asm/errno.h>
#include <asm/fcntl.h>
#include <linux/mman.h>
#include <asm/signal.h>

static const struct {
    int error;
    const char *text;
} errors[] = {
    { ENOSPC, "no space left on device" }, { EACCES, "permission denied" },
    { ENOENT, "no such file or directory" }, { EROFS, "read-only file system" },
    { EBADF, "its descriptor was closed" }, { EFBIG, "file too large" },
    { ENOTDIR, "not a directory" },        { EISDIR, "is a directory" },
    { EPIPE, "it has no reader" },         { ENOMEM, "out of memory" },
    { EDQUOT, "disk quota exceeded" },     { EMFILE, "too many open files" },
    { ELOOP, "is a symbolic link, or there are too many" },
    { INST_OF_OTHERS, "is another user's file" },
    { INST_FOLDER_OF_OTHERS, "the directory is another user's (INST_OUT=NAME names a file)" },
    { INST_HAS_OTHER_NAMES, "is a file with several names (hard links)" },
    { INST_NO_FILE, "is not a regular file" },
    { INST_STREAM, "a recording needs a file, not a pipe or a device" },
    { INST_NO_SLOT, "all chunks of its ring are in use by threads" },
    { INST_NO_DRAIN, "no process empties its ring any more" },
    { INST_AT_LIMIT, "it has reached INST_LIMIT" },
    { INST_PRIVILEGED, "the process has privileges of another user" },
};

void inst_block_signals(uint32_t *mask)
{
    static const uint32_t all[2] = { ~0u, ~0u };
    inst_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)all, (long)mask, 8, 0, 0);
}

void inst_unblock_signals(const uint32_t *mask)
{
    inst_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)mask, 0, 8, 0, 0);
}

void inst_lock_owned(struct inst_owned_lock *lock)
{
    if (lock->owner == &inst_thread) {
        lock->again++;
        return;
    }
    inst_lock(&lock->lock);
    lock->owner = &inst_thread;
}

void inst_unlock_owned(struct inst_owned_lock *lock)
{
    if (lock->again) {
        lock->again--;
        return;
    }
    lock->owner = 0;
    inst_unlock(&lock->lock);
}

void inst_lock_process(void)
{
    inst_lock_owned(&inst_process.lock);
}

void inst_unlock_process(void)
{
    inst_unlock_owned(&inst_process.lock);
}

/* For hooks of several threads. */
static uint32_t mask_before_shared[2];

void inst_begin_shared(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock_process();
    mask_before_shared[0] = mask[0];
    mask_before_shared[1] = mask[1];
}

void inst_end_shared(void)
{
    uint32_t mask[2] = { mask_before_shared[0], mask_before_shared[1] };
    inst_unlock_process();
    inst_unblock_signals(mask);
}

/* Return zeroed memory, or 0. */
void *inst_map(unsigned long size)
{
    long at = inst_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return (unsigned long)at > -4096ul ? 0 : (void *)at;
}

int inst_write_all(int fd, const void *from, unsigned long size)
{
    const char *at = from;
    while (size) {
        long done = inst_syscall(__NR_write, fd, (long)at, size, 0, 0, 0);
        if (done == -EINTR || done == -EAGAIN)
            continue;
        if (done < 0)
            return -done;
        at += done;
        size -= done;
    }
    return 0;
}

/* Return the environment as the kernel has put it on the stack, or 0.  The C library's variable is
   not set yet where resolvers of indirect functions run, nor in a program without C library. */
static char **initial_environment(void)
{
    enum { STACK_START = 26 };  /* the 28th field of proc_pid_stat(5) is the 26th after the name */
    char line[1024];
    long length = inst_read_file("/proc/self/stat", line, sizeof line - 1);
    line[length < 0 ? 0 : length] = 0;
    const char *from = line;
    for (const char *one = line; *one; one++)
        if (*one == ')')
            from = one;
    uintptr_t start = 0;
    for (int spaces = STACK_START; spaces && *from; from++)
        spaces -= *from == ' ';
    for (; *from >= '0' && *from <= '9'; from++)
        start = (start << 3) + (start << 1) + (*from - '0');
    const uintptr_t *stack = (const uintptr_t *)start;      /* a count, so many words, 0 */
    if (start % sizeof *stack || !inst_is_readable(stack, 2 * sizeof *stack))
        return 0;
    const uintptr_t *end = stack + 1 + stack[0];
    return stack[0] < 1 << 24 && inst_is_readable(end, 2 * sizeof *end) && !*end
               ? (char **)(end + 1) : 0;
}

/* Return the value of a variable of the environment, or 0; a privileged process has none. */
const char *inst_environment(const char *name)
{
    char **list = inst_privileged() ? 0 : &environ && environ ? environ : initial_environment();
    if (!list)
        return 0;
    for (char **one = list; *one; one++) {
        const char *a = *one, *b = name;
        while (*b && *a == *b)
            a++, b++;
        if (!*b && *a == '=')
            return a + 1;
    }
    return 0;
}

int inst_differ(const char *a, const char *b, unsigned size)
{
    for (unsigned n = 0; n < size; n++)
        if (a[n] != b[n])
            return 1;
    return 0;
}

char *inst_text(char *at, char *end, const char *text)
{
    while (*text && at < end)
        *at++ = *text++;
    return at;
}

char *inst_decimal(char *at, char *end, uint32_t number)
{
    static const uint32_t powers[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
                                       10000,      1000,      100,      10 };
    int shown = 0;
    for (unsigned n = 0; n < sizeof powers / sizeof *powers; n++) {
        char digit = '0';
        for (; number >= powers[n]; number -= powers[n])
            digit++;
        shown |= digit != '0';
        if (shown && at < end)
            *at++ = digit;
    }
    if (at < end)
        *at++ = '0' + number;
    return at;
}

char *inst_hexadecimal(char *at, char *end, uint64_t number)
{
    for (int shift = 60; shift >= 0; shift -= 4) {
        unsigned digit = (number >> shift) & 15;
        if ((number >> shift || !shift) && at < end)
            *at++ = "0123456789abcdef"[digit];
    }
    return at;
}

/* Return how much of a file was read, or a negated error number. */
long inst_read_file(const char *name, char *room, unsigned long size)
{
    long fd = inst_syscall(__NR_open, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    unsigned long done = 0;
    if (fd < 0)
        return fd;
    while (done < size) {
        long got = inst_syscall(__NR_read, fd, (long)room + done, size - done, 0, 0, 0);
        if (got <= 0)
            break;
        done += got;
    }
    inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    return done;
}

/* Write one line on standard error. */
void inst_message(const char *what, const char *name, int error)
{
    char line[512], *end = line + sizeof line - 1;
    char *at = inst_text(line, end, "inst: ");
    at = inst_text(at, end, what);
    at = inst_text(at, end - 120, name);
    if (error) {
        at = inst_text(at, end, ": ");
        const char *text = 0;
        for (unsigned n = 0; n < sizeof errors / sizeof *errors; n++)
            if (errors[n].error == error)
                text = errors[n].text;
        at = text ? inst_text(at, end, text) : inst_decimal(inst_text(at, end, "error "), end, error);
        at = inst_text(at, end, "; the program goes on untraced");
    }
    *at++ = '\n';
    inst_syscall(__NR_write, 2, (long)line, at - line, 0, 0, 0);
}
