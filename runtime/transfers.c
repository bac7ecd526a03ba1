/* The order of threads through the kernel: a thread that reads from a pipe, a socket or a file comes
   after the one that wrote there, and a woken thread after the one that woke it.

   Both use the same odd token in the hints happens_before and happens_after, outside the addresses of
   any program.  All sockets share one token, because it is not known which are connected: at worst
   an order is recorded that did not exist.  */
#include "process.h"
#include "transfers.h"
#include "width.h"

enum { NEITHER, SENDS, RECEIVES };
enum { WAIT = 0, WAKE = 1, REQUEUE = 3, COMPARE_REQUEUE = 4, WAKE_OPERATION = 5, WAIT_BITS = 9,
       WAKE_BITS = 10, COMMANDS = 127 };
enum { NUMBERS = 1 << 27, KIND = 0170000, SOCKET = 0140000 };  /* of st_mode */

#pragma GCC visibility push(hidden)
void inst_annotate_hint(const char *kind, inst_address at, uint64_t value, const char *source);
#pragma GCC visibility pop

static const struct {
    uint16_t number;
    uint8_t what;
} transfers[] = {
    { __NR_write, SENDS },       { __NR_pwrite64, SENDS },     { __NR_writev, SENDS },
    { __NR_pwritev, SENDS },     { __NR_sendto, SENDS },       { __NR_sendmsg, SENDS },
    { __NR_sendmmsg, SENDS },    { __NR_vmsplice, SENDS },     { __NR_mq_timedsend, SENDS },
    { __NR_shutdown, SENDS },    { __NR_close, SENDS },        { __NR_read, RECEIVES },
    { __NR_pread64, RECEIVES },  { __NR_readv, RECEIVES },     { __NR_preadv, RECEIVES },
    { __NR_recvfrom, RECEIVES }, { __NR_recvmsg, RECEIVES },   { __NR_recvmmsg, RECEIVES },
    { __NR_mq_timedreceive, RECEIVES },
#ifdef __NR_send
    { __NR_send, SENDS },
#endif
#ifdef __NR_recv
    { __NR_recv, RECEIVES },
#endif
};

static int is_futex(uint32_t number)
{
#ifdef __NR_futex_time64
    if (number == __NR_futex_time64)
        return 1;
#endif
    return number == __NR_futex;
}

static int what_of(const struct inst_call *call)
{
    unsigned command = call->arguments[1] & COMMANDS;
    for (unsigned n = 0; n < sizeof transfers / sizeof *transfers; n++)
        if (transfers[n].number == call->number)
            return transfers[n].what;
    if (!is_futex(call->number))
        return NEITHER;
    if (command == WAIT || command == WAIT_BITS)
        return RECEIVES;
    return command == WAKE || command == WAKE_BITS || command == WAKE_OPERATION
                   || command == REQUEUE || command == COMPARE_REQUEUE
               ? SENDS
               : NEITHER;
}

/* Return the token of a call; 0: it orders no threads. */
static uintptr_t token_of(const struct inst_call *call)
{
    inst_file_status status;
    if (is_futex(call->number))
        return (uintptr_t)call->arguments[0] | 1;
    if (inst_fstat(call->arguments[0], &status))
        return 0;
    unsigned long which = NUMBERS;
    if ((status.st_mode & KIND) != SOCKET)
        which = (status.st_ino + 31 * status.st_dev) % NUMBERS;
    return ~(uintptr_t)0 - 2 * which;
}

static void hint(const struct inst_call *call, const char *kind, const char *source)
{
    uintptr_t token = token_of(call);
    if (token)
        inst_annotate_hint(kind, token, 0, source);
}

void inst_transfer_begins(const struct inst_call *call)
{
    if (inst_process.threaded && what_of(call) == SENDS)
        hint(call, "happens_before", "given to the kernel");
}

void inst_transfer_ended(const struct inst_call *call, long result)
{
    if (inst_process.threaded && result >= 0 && what_of(call) == RECEIVES)
        hint(call, "happens_after", "got from the kernel");
}

void inst_threads_begin(void)
{
    inst_process.threaded = 1;
}
