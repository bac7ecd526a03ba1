/* Several recorders in one process: the program and each shared object that was instrumented by
   itself have a runtime and a trace of their own, and nothing orders the events of two traces.

   A runtime that opens its trace looks for traces of the same process, identified by `run=`, among
   the open descriptors.  It reports them, and sets the digit of `recorders=` in all.  */
#include "process.h"
#include "width.h"

#include <asm/fcntl.h>

enum { FIRST_OWN_DESCRIPTOR = 700, LAST_SEARCHED = 1024, START = 4096, MOST = 9 };

static const char *find(const char *from, const char *end, const char *wanted)
{
    for (; from < end; from++) {
        const char *a = from, *b = wanted;
        while (*b && a < end && *a == *b)
            a++, b++;
        if (!*b)
            return a;
    }
    return 0;
}

/* Return the place of the digit of `recorders=` if the file is a trace of this process; else 0.  A ring
   is one with its output, which has a copy of its first chunk. */
static unsigned place_of_digit(int fd, int *is_drained)
{
    enum { RING_LETTERS = 8, KIND = 11, FARTHEST = 32 };    /* s-expressions have `") (value "` in between */
    char start[START], run[INST_RUN];
    inst_file_status status;
    if (inst_fstat(fd, &status) || (status.st_mode & 0170000) != 0100000
        || !inst_run(run, sizeof run))
        return 0;
    unsigned first = 0;
    long size = inst_pread(fd, start, sizeof start, 0);
    *is_drained = size > RING_LETTERS && start[KIND] == 'd'
                  && !inst_differ(start, "INST-RNG", RING_LETTERS);
    if (size > RING_LETTERS && !inst_differ(start, "INST-RNG", RING_LETTERS))
        size = inst_pread(fd, start, sizeof start, first = CHUNK);
    if (size <= 0 || !find(start, start + size, run))
        return 0;
    const char *at = find(start, start + size, "recorders");
    for (int n = 0; at && n < FARTHEST && at < start + size; n++, at++)
        if (*at >= '1' && *at <= '9')
            return first + (at - start);
    return 0;
}

static char *put_trace(char *at, char *end, int fd)
{
    char path[64];
    *inst_decimal(inst_text(path, path + sizeof path - 1, "/proc/self/fd/"),
                  path + sizeof path - 1, fd) = 0;
    long length = inst_syscall(__NR_readlink, (long)path, (long)at, end - at, 0, 0, 0);
    return at + (length > 0 ? length : 0);
}

/* Report which traces there are; in a child of fork, the parent has done so. */
static void report_traces(const int *others, int count)
{
    char line[4096], *end = line + sizeof line - 80;
    char *at = inst_text(line, end, "inst: this process writes ");
    at = inst_text(inst_decimal(at, end, count + 1), end, " traces: ");
    for (int n = 0; n < count; n++)
        at = inst_text(put_trace(at, end, others[n]), end, ", ");
    at = inst_text(at, end, inst_process.name);
    at = inst_text(at, end + 79, "; their events cannot be put in order\n");
    inst_syscall(__NR_write, 2, (long)line, at - line, 0, 0, 0);
}

/* Count the traces that this process writes, of which the one that was just opened is the last. */
void inst_count_recorders(void)
{
    struct inst_process_state *process = &inst_process;
    struct {
        int fd;
        unsigned place;
    } digits[2 * MOST];
    int others[MOST - 1], count = 0, places = 0, is_drained;
    int from = process->fd < FIRST_OWN_DESCRIPTOR ? 3 : FIRST_OWN_DESCRIPTOR;
    for (int fd = from; fd < process->fd && fd < LAST_SEARCHED && count < MOST - 1; fd++) {
        unsigned place = place_of_digit(fd, &is_drained);
        if (place && places < 2 * MOST) {
            digits[places].fd = fd;
            digits[places++].place = place;
        }
        if (place && !is_drained)
            others[count++] = fd;
    }
    process->recorders = count + 1;
    char digit = '0' + count + 1;
    for (int n = 0; n < places; n++)
        inst_pwrite(digits[n].fd, &digit, 1, digits[n].place);
    if (count && !process->forked)
        report_traces(others, count);
}
