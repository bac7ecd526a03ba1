/* A trace's record of its own end, among the strings that it begins with: `ending=running` until
   the program ends (`exit`) or tracing stops (`stopped: ENOSPC` and the like).

   The text has a fixed width and stays mapped, so that it can be changed when the disk is full, the
   file may not grow, or the program has closed the descriptor.  What goes to a pipe cannot be
   changed: there it is `ending=stream`.  */
#include "output.h"
#include "width.h"

#include <asm/errno.h>
#include <linux/mman.h>

enum { WIDTH = 15 };            /* with "ending=" it fits into one string record of RST */
static const char running[] = "running        ";
_Static_assert(sizeof running == WIDTH + 1, "the text has another width");

static const struct {
    int error;
    const char *text;
} reasons[] = {
    { ENOSPC, "stopped: ENOSPC" }, { EFBIG, "stopped: EFBIG" },   { EBADF, "stopped: EBADF" },
    { INST_AT_LIMIT, "stopped: LIMIT" }, { INST_NO_DRAIN, "stopped: DRAIN" },
    { INST_NO_SLOT, "stopped: SLOTS" },  { ENOMEM, "stopped: ENOMEM" }, { EDQUOT, "stopped: EDQUOT" }, { EIO, "stopped: EIO" },
};

/* The string at the start of a trace; a trace in a pipe cannot be changed later. */
const char *inst_first_ending(void)
{
    return inst_process.mode == MAPPED ? running : "stream";
}

int inst_streams(void)
{
    return inst_process.mode == WRITTEN;
}

/* Return the place of a text in the start of a trace, or 0. */
static unsigned long place_of(const char *text, const unsigned char *start)
{
    for (unsigned long at = 0; at + WIDTH <= START_ROOM; at++) {
        unsigned same = 0;
        while (text[same] && start[at + same] == (unsigned char)text[same])
            same++;
        if (!text[same])
            return at;
    }
    return 0;
}

/* Map the start of the trace, which is written by now. */
void inst_map_ending(const unsigned char *start)
{
    struct inst_process_state *process = &inst_process;
    unsigned long place = process->mode == MAPPED ? place_of(running, start) : 0;
    if (!place)
        return;
    long at = inst_mmap(0, START_ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, process->fd,
                        process->ring ? CHUNK : 0);
    if ((unsigned long)at > -4096ul)
        return;
    process->start = (unsigned char *)at;
    process->ending_text = process->start + place;
    place = place_of(INST_WHOLE, start);
    process->partial_text = place ? process->start + place : 0;
    inst_map_unreported(process->start);
}

/* In a child of fork, which does not write to its parent's trace. */
void inst_forget_ending(void)
{
    if (inst_process.start)
        inst_syscall(__NR_munmap, (long)inst_process.start, START_ROOM, 0, 0, 0, 0);
    inst_process.start = inst_process.ending_text = inst_process.partial_text = 0;
    inst_forget_unreported();
}

static void write_text(volatile unsigned char *at, const char *text, unsigned width)
{
    if (!at || inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0) != inst_process.pid)
        return;
    for (unsigned n = 0; n < width; n++)
        at[n] = *text ? *text++ : ' ';
}

void inst_write_ending(const char *text)
{
    write_text(inst_process.ending_text, text, WIDTH);
}

/* Only the first cause counts: what comes after it is missing anyway. */
void inst_write_partial(const char *cause)
{
    enum { NAMED = 8 };         /* letters of "partial=" */
    if (!inst_process.partial_text)
        return;
    write_text(inst_process.partial_text, "partial=", NAMED);
    write_text(inst_process.partial_text + NAMED, cause, sizeof INST_WHOLE - 1 - NAMED);
    inst_process.partial_text = 0;
}

void inst_write_stopped(int error)
{
    const char *text = "stopped";
    for (unsigned n = 0; n < sizeof reasons / sizeof *reasons; n++)
        if (reasons[n].error == error)
            text = reasons[n].text;
    inst_write_ending(text);
}
