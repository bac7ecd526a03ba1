/* Choice of the file for a trace, if no other process uses it. */
#include "process.h"
#include "width.h"

#include <asm/errno.h>
#include <asm/fcntl.h>
#include <asm/stat.h>

enum { HIGH_DESCRIPTOR = 700, NAME_ROOM = 256, OTHER_NAMES = 1000 };
enum { RING_LETTERS = 8, FILE_TYPE = 0170000, REGULAR = 0100000 };

/* Write the name of the output: so many letters of the pattern, with the process id for %p. */
static void make_name(const char *pattern, unsigned length, const char *suffix, int forked)
{
    const char *stop = pattern + length;
    char *at = inst_process.name, *end = at + NAME - 1;
    int with_id = 0;
    uint32_t id = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    if (*pattern != '/') {
        long length = inst_syscall(__NR_getcwd, (long)at, NAME - 256, 0, 0, 0, 0);
        if (length > 1)
            at = inst_text(at + length - 1, end, "/");
    }
    for (; pattern < stop; pattern++) {
        if (pattern[0] == '%' && pattern[1] == 'p') {
            at = inst_decimal(at, end, id);
            with_id = 1;
            pattern++;
        } else if (at < end) {
            *at++ = *pattern;
        }
    }
    at = inst_text(at, end, suffix);
    if (forked && !with_id)
        at = inst_decimal(inst_text(at, end, "."), end, id);
    *at = 0;
}

/* Skip so many fields of a line. */
static const char *skip_fields(const char *at, int count)
{
    for (; count && *at; at++)
        count -= *at == ' ';
    return at;
}

/* Write this process's id and start time, which exec does not change; 0: unknown. */
const char *inst_run(char *room, unsigned size)
{
    enum { START = 20 };        /* the 22nd field of proc_pid_stat(5) is the 20th after the name */
    char path[64], line[1024], *at = path, *end = path + sizeof path - 1;
    uint32_t id = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    /* The thread's file: QEMU invents the process's. */
    at = inst_text(inst_decimal(inst_text(at, end, "/proc/self/task/"), end, id), end, "/stat");
    *at = 0;
    long length = inst_read_file(path, line, sizeof line - 1);
    if (length <= 0)
        return 0;
    line[length] = 0;
    const char *name_end = line;
    for (const char *one = line; *one; one++)
        if (*one == ')')
            name_end = one;
    const char *from = skip_fields(name_end, START);
    at = inst_text(inst_decimal(room, room + size - 1, id), room + size - 1, ":");
    while (*from >= '0' && *from <= '9' && at < room + size - 1)
        *at++ = *from++;
    *at = 0;
    return room;
}

/* Return whether this process has written the file before it called exec.  The first chunk of a ring
   is its second. */
static int is_our_own(long fd)
{
    char run[INST_RUN], start[4096];
    const char *wanted = inst_run(run, sizeof run);
    long size = inst_pread(fd, start, sizeof start, 0);
    if (size > RING_LETTERS && !inst_differ(start, "INST-RNG", RING_LETTERS))
        size = inst_pread(fd, start, sizeof start, CHUNK);
    for (const char *at = start; wanted && at < start + size; at++) {
        const char *a = at, *b = wanted;
        while (*b && a < start + size && *a == *b)
            a++, b++;
        if (!*b)
            return 1;
    }
    return 0;
}

/* Return why an existing file must not be overwritten, or 0.  Others could read the contents of the
   program's memory there; a file with the default name may belong to anyone. */
static int refusal(const inst_file_status *status, int given)
{
    if ((status->st_mode & FILE_TYPE) != REGULAR)
        return given ? 0 : INST_NO_FILE;
    if (status->st_uid != inst_user())
        return INST_OF_OTHERS;
    return !given && status->st_nlink > 1 ? INST_HAS_OTHER_NAMES : 0;
}

/* Empty the file, unless another process writes to it, or this one has: then return EBUSY. */
static int take_file(long fd, int given, int created)
{
    enum { LOCK_ALONE = 2, DO_NOT_WAIT = 4 };
    inst_file_status status;
    if (inst_fstat(fd, &status))
        return 0;
    int refused = created ? 0 : refusal(&status, given);
    if (refused || (status.st_mode & FILE_TYPE) != REGULAR)
        return refused;
    if (inst_syscall(__NR_flock, fd, LOCK_ALONE | DO_NOT_WAIT, 0, 0, 0, 0) == -EWOULDBLOCK
        || is_our_own(fd))
        return EBUSY;
    return -inst_ftruncate(fd, 0);
}

/* Open a file, which only this user may read if new; the usual name may not be a link.  A name that is
   not quite the given one is for a new file only: what is there was not meant. */
static long open_file(const char *name, int given, int only_new)
{
    long flags = O_CLOEXEC | O_NOCTTY | INST_OPEN_LARGE | (given ? 0 : O_NOFOLLOW);
    long make = flags | O_RDWR | O_CREAT;
    long fd = inst_syscall(__NR_open, (long)name, make | O_EXCL, 0600, 0, 0, 0);
    int created = fd >= 0;
    if (fd == -EEXIST && only_new)
        return -EBUSY;
    if (fd == -EEXIST)
        fd = inst_syscall(__NR_open, (long)name, make, 0600, 0, 0, 0);
    if (given && (fd == -EACCES || fd == -ENXIO || fd == -EINVAL))  /* pipes and terminals */
        fd = inst_syscall(__NR_open, (long)name, flags | O_WRONLY, 0, 0, 0, 0);
    int error = fd < 0 ? 0 : take_file(fd, given, created);
    if (!error)
        return fd;
    inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    return -error;
}

/* Open the output, or if that is in use the first of NAME.2, NAME.3 ... that is free. */
static long open_free(char *name, int given, int only_new)
{
    char *end = name;
    while (*end)
        end++;
    long fd = open_file(name, given, only_new);
    for (int n = 2; fd == -EBUSY && n < OTHER_NAMES; n++) {
        char *at = inst_text(end, name + NAME - 1, ".");
        *inst_decimal(at, name + NAME - 1, n) = 0;
        fd = open_file(name, given, only_new);
    }
    return fd;
}

/* Return why no file is made in the current directory, or 0. */
static int folder_refusal(void)
{
    inst_file_status status;
    long fd = inst_syscall(__NR_open, (long)".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return -fd;
    long error = inst_fstat(fd, &status);
    inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    if (error)
        return -error;
    return status.st_uid && status.st_uid != inst_user() ? INST_FOLDER_OF_OTHERS : 0;
}

static unsigned length_of(const char *text)
{
    unsigned length = 0;
    while (text[length])
        length++;
    return length;
}

/* Return the length of a name without what asks for compression (.gz .xz .zst). */
static unsigned plain_length(const char *name, unsigned length)
{
    static const char endings[][5] = { ".gz", ".xz", ".zst" };
    for (unsigned n = 0; n < sizeof endings / sizeof *endings; n++) {
        unsigned size = length_of(endings[n]);
        if (length > size && name[length - size - 1] != '/'
            && !inst_differ(name + length - size, endings[n], size))
            return length - size;
    }
    return length;
}

/* Return whether the output's name leads to a pipe or a device: its reader expects no other name. */
static int leads_to_a_device(void)
{
    inst_file_status status;
    long fd = inst_syscall(__NR_open, (long)inst_process.name, O_PATH | O_CLOEXEC, 0, 0, 0, 0);
    int is_device = fd >= 0 && !inst_fstat(fd, &status) && (status.st_mode & FILE_TYPE) != REGULAR;
    if (fd >= 0)
        inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    return is_device;
}

/* Name the output by a pattern; return whether that asks for compression.  The file is then new and
   has no such name: what a killed program leaves must be whole, and a child of fork has a trace of its
   own, so that nothing in this process can compress it, and no program behind a pipe. */
static int name_output(const char *pattern, const char *suffix)
{
    unsigned length = length_of(pattern), plain = plain_length(pattern, length);
    int forked = inst_process.forked;
    make_name(pattern, length, suffix, forked);
    if (plain == length || leads_to_a_device())
        return 0;
    make_name(pattern, plain, suffix, forked);
    return 1;
}

static void report_uncompressed(void)
{
    if (!inst_process.forked)
        inst_message("INST_OUT: only `inst run -o` compresses a trace; it goes to ",
                     inst_process.name, 0);
}

/* Open the output; return 0 or an error number. */
int inst_open_output(const char *extension)
{
    if (inst_privileged())
        return INST_PRIVILEGED;
    struct inst_process_state *process = &inst_process;
    const char *pattern = inst_environment("INST_OUT");
    char suffix[NAME_ROOM], *end = suffix + sizeof suffix - 1, *at = suffix;
    int given = pattern && *pattern;
    if (!inst_recorder.is_main) {
        char path[NAME];
        const char *name = inst_image_path(path, sizeof path);
        for (const char *one = name; *one; one++)
            if (*one == '/')
                name = one + 1;
        at = inst_text(inst_text(at, end, "."), end, name);
    }
    if (!given)
        at = inst_text(inst_text(at, end, "."), end, extension);
    *at = 0;
    int packed = name_output(given ? pattern : "inst.%p", suffix);
    int refused = given ? 0 : folder_refusal();
    long fd = refused ? -refused : open_free(process->name, given, packed);
    if (fd < 0)
        return -fd;
    if (packed)
        report_uncompressed();
    long high = inst_syscall(__NR_fcntl, fd, 1030 /* F_DUPFD_CLOEXEC */, HIGH_DESCRIPTOR, 0, 0, 0);
    if (high >= 0) {
        inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
        fd = high;
    }
    process->fd = fd;
    return 0;
}

/* Return the name that was opened. */
const char *inst_output_name(void)
{
    return inst_process.name;
}
