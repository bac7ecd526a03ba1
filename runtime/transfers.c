/* The order of threads through the kernel: a thread that reads from a pipe, a socket or a file comes
   after the one that wrote there, and a woken thread after the one that woke it.  Functions on
   streams make such calls within the C library, and report them by the stream's file.

   Both use the same odd token in the hints happens_before and happens_after, outside the addresses of
   any program.  All sockets share one token, because it is not known which are connected: at worst
   an order is recorded that did not exist.  */
#include "process.h"
#include <inst/file_order.h>
#include "transfers.h"
#include "width.h"

enum { NEITHER, SENDS, RECEIVES };
enum { WAIT = 0, WAKE = 1, REQUEUE = 3, COMPARE_REQUEUE = 4, WAKE_OPERATION = 5, WAIT_BITS = 9,
       WAKE_BITS = 10, COMMANDS = 127 };
enum { NUMBERS = 1 << 27, KIND = 0170000, SOCKET = 0140000 };  /* of st_mode */

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

/* Return the token of an open file; 0: there is no such file. */
static uintptr_t token_of(long file)
{
    inst_file_status status;
    if (inst_fstat(file, &status))
        return 0;
    unsigned long which = NUMBERS;
    if ((status.st_mode & KIND) != SOCKET)
        which = (status.st_ino + 31 * status.st_dev) % NUMBERS;
    return ~(uintptr_t)0 - 2 * which;
}

static void hint(uintptr_t token, const char *kind, const char *source)
{
    if (token)
        inst_annotate_hint(kind, token, 0, source);
}

static void hint_at(uintptr_t token, enum inst_hint kind, uintptr_t place)
{
    if (token)
        inst_give_hint(kind, token, 0, place);
}

/* The same for a call; most are no transfers, and need no token. */
static void hint_call(const struct inst_call *call, const char *kind, const char *source)
{
    long first = call->arguments[0];
    hint(is_futex(call->number) ? (uintptr_t)first | 1 : token_of(first), kind, source);
}

void inst_transfer_begins(const struct inst_call *call)
{
    if (inst_process.threaded && what_of(call) == SENDS)
        hint_call(call, "happens_before", "passed to the kernel");
}

void inst_transfer_ended(const struct inst_call *call, long result)
{
    if (inst_process.threaded && result >= 0 && what_of(call) == RECEIVES)
        hint_call(call, "happens_after", "received from the kernel");
}

void inst_file_sends(int file, uintptr_t place)
{
    hint_at(token_of(file), INST_HAPPENS_BEFORE, place);
}

void inst_file_received(int file, uintptr_t place)
{
    hint_at(token_of(file), INST_HAPPENS_AFTER, place);
}

int inst_has_threads(void)
{
    return inst_process.threaded;
}

void inst_threads_begin(void)
{
    inst_process.threaded = 1;
}
