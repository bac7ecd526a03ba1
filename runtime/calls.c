/* System calls to hooks: the number, what the kernel reads before, what it has written after.

   A pointer may be invalid: the kernel then returns EFAULT, so the runtime must not dereference it.
   A system call checks each page.  */
#include "calls.h"
#include "mappings.h"
#include "process.h"
#include "transfers.h"

#include <inst/handlers.h>

#include <asm/errno.h>
#include <asm/fcntl.h>
#include <asm/ioctl.h>
#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <asm/stat.h>
#include <asm/statfs.h>
#include <linux/posix_types.h>
#include <linux/sockios.h>
#include <linux/sysinfo.h>

#pragma weak systemhook
#pragma weak systemresulthook

enum { END, READS, WRITES, INTERRUPTED };
enum { NOTHING, ARGUMENT, RESULT, POINTED, BITS, NODES, STRING, VECTOR, MESSAGE, MESSAGES, STRINGS, REQUEST,
       MASK, PAGES };
enum { TIMEX = sizeof(long) == 4 ? 128 : 208, IFREQ = sizeof(long) == 4 ? 32 : 40, FLOCK64 = 32 };
enum { PIPE_BYTES = INST_PIPE_BYTES };
enum { PAGE = 4096, LONGEST_STRING = 1 << 20, MOST_VECTORS = 1024 };

typedef __kernel_loff_t loff_t;      /* used by the kernel's FIOQSIZE */

struct effect {
    uint8_t when, argument, source, other, test;
    uint16_t scale, base;
    uint32_t mask;
    uint64_t equals;
};

#include "calls_table.h"

struct vector {
    const char *base;
    unsigned long length;
};

struct message {
    const void *name;
    uint32_t name_length;
    const struct vector *vectors;
    unsigned long count;
    const void *control;
    unsigned long control_length;
    uint32_t flags;
};

struct numbered_message {
    struct message message;
    uint32_t length;
};

/* rt_sigaction copies its second argument in before it looks at the signal's number. */
static int page_is_readable(uintptr_t address)
{
    enum { NO_SIGNAL = 1000, SIGACTION_ROOM = 64 };
    uintptr_t start = address & -(uintptr_t)PAGE;
    if (!start)         /* not a pointer, to the kernel */
        return 0;
    long error = INST_SET_ACTION(NO_SIGNAL, start, 0, 0);
    return error != -EFAULT;
}

int inst_is_readable(const void *address, size_t size)
{
    uintptr_t first = (uintptr_t)address, last = first + size - 1;
    if (!size || last < first)
        return !size;
    for (uintptr_t page = first & -(uintptr_t)PAGE; page <= last && page + PAGE; page += PAGE)
        if (!page_is_readable(page))
            return 0;
    return 1;
}

/* Return the bytes of a string with its end; 0 if not all of it is mapped. */
static size_t string_size(const char *text)
{
    for (size_t n = 0; n < LONGEST_STRING; n++) {
        if ((n == 0 || ((uintptr_t)(text + n) & (PAGE - 1)) == 0) && !page_is_readable((uintptr_t)(text + n)))
            return 0;
        if (!text[n])
            return n + 1;
    }
    return 0;
}

static void report(int written, const void *address, size_t size)
{
    if (written)
        inst_writes(address, size);
    else
        inst_reads(address, size);
}

/* Buffers of a vector: as much of them as was moved. */
static void report_vectors(int written, const struct vector *vectors, unsigned long count,
                           unsigned long moved)
{
    if (count > MOST_VECTORS || !inst_is_readable(vectors, count * sizeof *vectors))
        return;
    for (unsigned long n = 0; n < count && moved; n++) {
        unsigned long size = vectors[n].length < moved ? vectors[n].length : moved;
        report(written, vectors[n].base, size);
        moved -= size;
    }
}

static void report_message(int written, const struct message *message, unsigned long moved,
                           uint32_t name_length)
{
    if (!inst_is_readable(message, sizeof *message))
        return;
    struct message now = *message;
    if (!written) {
        report(0, message, sizeof *message);
        report(0, now.vectors, now.count * sizeof *now.vectors);
        return;
    }
    report_vectors(1, now.vectors, now.count, moved);
    if (now.name)
        report(1, now.name, now.name_length < name_length ? now.name_length : name_length);
    report(1, &message->name_length, sizeof message->name_length);
    if (now.control)
        report(1, now.control, now.control_length);
    report(1, &message->control_length, sizeof message->control_length);
    report(1, &message->flags, sizeof message->flags);
}

/* What a message that is sent holds is read too. */
static void report_sent(const struct message *message)
{
    if (!inst_is_readable(message, sizeof *message))
        return;
    struct message now = *message;
    report_vectors(0, now.vectors, now.count, ~0ul);
    if (now.name)
        report(0, now.name, now.name_length);
    if (now.control)
        report(0, now.control, now.control_length);
}

static void report_strings(const char *const *list)
{
    unsigned long count = 0;
    while (count < LONGEST_STRING && inst_is_readable(list + count, sizeof *list) && list[count])
        count++;
    report(0, list, (count + 1) * sizeof *list);
    for (unsigned long n = 0; n < count; n++)
        report(0, list[n], string_size(list[n]));
}

static void report_mask(const unsigned long *pair)
{
    if (!inst_is_readable(pair, 2 * sizeof *pair))
        return;
    report(0, pair, 2 * sizeof *pair);
    if (pair[0])
        report(0, (const void *)pair[0], pair[1]);
}

static size_t request_size(unsigned long request, int written)
{
    unsigned wanted = written ? _IOC_READ : _IOC_WRITE;
    return _IOC_DIR(request) != _IOC_NONE && _IOC_DIR(request) & wanted ? _IOC_SIZE(request) : 0;
}

/* Return the bytes of an effect that is one range. */
static size_t size_of(const struct effect *effect, const struct inst_call *call, long result)
{
    unsigned long other = call->arguments[effect->other], size = 0;
    uint32_t length = call->length;
    int written = effect->when != READS;
    switch (effect->source) {
    case ARGUMENT:
        size = other * effect->scale;
        break;
    case RESULT:
        size = effect->other && (unsigned long)result > other ? other : result * effect->scale;
        break;
    case POINTED:
        if (inst_is_readable((void *)other, 4) && *(uint32_t *)other < length)
            length = *(uint32_t *)other;
        size = length;
        break;
    case NODES:     /* the kernel subtracts one before it reads the mask */
        other -= other != 0;
        /* fall through */
    case BITS:
        size = (other + 8 * sizeof(long) - 1) / (8 * sizeof(long)) * sizeof(long);
        break;
    case STRING:
        size = string_size((const char *)call->arguments[effect->argument]);
        break;
    case REQUEST:
        size = request_size(call->arguments[1], written);
        break;
    case PAGES:
        size = (other + PAGE - 1) / PAGE;
        break;
    }
    return size + effect->base;
}

static void report_messages(int written, const struct numbered_message *messages,
                            unsigned long count)
{
    if (count > MOST_VECTORS || !inst_is_readable(messages, count * sizeof *messages))
        return;
    for (unsigned long n = 0; n < count; n++) {
        report_message(written, &messages[n].message, messages[n].length, ~0u);
        if (written)
            report(1, &messages[n].length, sizeof messages[n].length);
    }
}

static int receives(uint32_t number)
{
    switch (number) {
#ifdef __NR_recvmsg
    case __NR_recvmsg:
#endif
#ifdef __NR_recvmmsg
    case __NR_recvmmsg:
#endif
#ifdef __NR_recvmmsg_time64
    case __NR_recvmmsg_time64:
#endif
        return 1;
    }
    return 0;
}

/* Return whether the buffers of vectors are read: those of calls that never write them. */
static int sends(const struct effect *row)
{
    for (; row->when; row++)
        if (row->source == VECTOR && row->when == WRITES)
            return 0;
    return 1;
}

static void apply(const struct effect *effect, const struct effect *row,
                  const struct inst_call *call, long result)
{
    long argument = call->arguments[effect->argument], other = call->arguments[effect->other];
    int written = effect->when != READS;
    switch (effect->source) {
    case VECTOR:
        if (!written)
            report(0, (void *)argument, other * sizeof(struct vector));
        if (written || sends(row))
            report_vectors(written, (void *)argument, other, written ? (unsigned long)result : ~0ul);
        break;
    case MESSAGE:
        report_message(written, (void *)argument, result, call->length);
        if (!written && !receives(call->number))
            report_sent((void *)argument);
        break;
    case MESSAGES:
        report_messages(written, (void *)argument, written ? (unsigned long)result : (unsigned long)other);
        for (long n = 0; !written && !receives(call->number) && n < other && n < MOST_VECTORS; n++)
            report_sent(&((const struct numbered_message *)argument)[n].message);
        break;
    case STRINGS:
        report_strings((const char *const *)argument);
        break;
    case MASK:
        report_mask((void *)argument);
        break;
    default:
        report(written, (void *)argument, size_of(effect, call, result));
    }
}

static const struct effect *row_of(uint32_t number)
{
    return number < sizeof rows / sizeof *rows ? rows[number] : 0;
}

static int holds(const struct effect *effect, const struct inst_call *call)
{
    uint64_t value = (unsigned long)call->arguments[effect->test] & effect->mask;
    return (!effect->mask || value == (effect->equals & effect->mask))
           && call->arguments[effect->argument];
}

static void apply_all(const struct inst_call *call, long result, unsigned when)
{
    const struct effect *row = row_of(call->number);
    for (const struct effect *effect = row; effect && effect->when; effect++)
        if (effect->when == when && holds(effect, call))
            apply(effect, row, call, result);
}

/* Remember the stated length of a buffer whose actual length is returned in the same place. */
static void keep_length(struct inst_call *call)
{
    for (const struct effect *effect = row_of(call->number); effect && effect->when; effect++) {
        const uint32_t *at = 0;
        if (effect->source == POINTED)
            at = (const uint32_t *)call->arguments[effect->other];
        else if (effect->source == MESSAGE)
            at = &((const struct message *)call->arguments[effect->argument])->name_length;
        if (at && inst_is_readable(at, sizeof *at))
            call->length = *at;
    }
}

/* Replace a multiplexed call by the one it selects. */
static void resolve(struct inst_call *call)
{
    unsigned first = call->arguments[0] & 0xffff;
    for (unsigned n = 0; multiplexed[n].call != 0xffff; n++) {
        if (multiplexed[n].call != call->number || multiplexed[n].first != first)
            continue;
        const long *list = (const long *)call->arguments[1];
#ifdef __NR_ipc
        const long moved[] = { call->arguments[1], call->arguments[4], call->arguments[2],
                               call->arguments[5], 0, 0 };
        if (call->number == __NR_ipc)
            list = moved;
#endif
        if (!inst_is_readable(list, sizeof *list))
            return;
        call->number = multiplexed[n].means;
        for (unsigned one = 0; one < INST_ARGUMENTS; one++)
            if (inst_is_readable(list + one, sizeof *list))
                call->arguments[one] = list[one];
        return;
    }
}

void inst_system_call(uint32_t number)
{
    struct inst_running before = inst_begin_hook(INST_SYSTEMHOOK);
    if (systemhook)
        ((void (*)(uint32_t))systemhook)(number);
    inst_end_hook(before);
}

void inst_system_result(uint32_t number, long result, int error)
{
    if (!systemresulthook)
        return;
    struct inst_running before = inst_begin_hook(INST_SYSTEMRESULTHOOK);
    systemresulthook(number, error ? error : result, error != 0);
    inst_end_hook(before);
}

static int executes(const struct inst_call *call)
{
    return call->number == __NR_execve || call->number == __NR_execveat;
}

/* Report the end of the process, unless exec fails at once because there is no such program. */
static void image_may_end(const struct inst_call *call)
{
    enum { FIXED_FOLDER = -100, EXECUTE = 1 };
    int named = call->number == __NR_execve;
    long folder = named ? FIXED_FOLDER : call->arguments[0];
    const char *path = (const char *)call->arguments[named ? 0 : 1];
    if (string_size(path) == 1 && !named)   /* AT_EMPTY_PATH: the folder is the program */
        inst_image_ends();
    else if (!inst_syscall(__NR_faccessat, folder, (long)path, EXECUTE, 0, 0, 0))
        inst_image_ends();
}

void inst_call_begins(struct inst_call *call)
{
    inst_join();
    call->reported = call->made ? call->made : call->number;
    inst_system_call(call->reported);
    call->length = 0;
    resolve(call);
    keep_length(call);
    apply_all(call, 0, READS);
    inst_transfer_begins(call);
    if (inst_forks(call->number, call->arguments))
        inst_expect_fork();
    if (call->number == __NR_exit_group)
        inst_process_ends();
    if (executes(call))
        image_may_end(call);
}

void inst_call_ended(struct inst_call *call, long result, int error)
{
    inst_fork_returned();
    inst_transfer_ended(call, error ? -error : result);
    if (error && executes(call))
        inst_image_continues();
    if (error == EINTR)
        apply_all(call, 0, INTERRUPTED);
    if (!error)
        apply_all(call, result, WRITES);
    inst_system_result(call->reported, result, error);
    if (!error)
        inst_mapping_changed(call, result);
}

enum { NESTED = sizeof ((struct inst_extra *)0)->calls / sizeof(struct inst_call) };

void inst_call_instruction(uintptr_t stack, uint32_t number, const long *arguments)
{
    struct inst_call *calls = inst_extra()->calls;
    unsigned n = 0;
    while (n < NESTED - 1 && calls[n].stack > stack)
        n++;
    calls[n].stack = stack;
    calls[n].number = number;
    calls[n].made = 0;
    for (unsigned one = 0; one < INST_ARGUMENTS; one++)
        calls[n].arguments[one] = arguments[one];
    if (n + 1 < NESTED)
        calls[n + 1].stack = 0;
    inst_call_begins(&calls[n]);
}

void inst_call_returned(uintptr_t stack, long result, int failed)
{
    struct inst_call *calls = inst_extra()->calls;
    for (unsigned n = 0; n < NESTED; n++) {
        if (calls[n].stack == stack) {
            calls[n].stack = 0;
            inst_call_ended(&calls[n], result, failed ? (int)result : 0);
            return;
        }
    }
}
