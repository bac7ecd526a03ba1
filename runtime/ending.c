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
    { ENOMEM, "stopped: ENOMEM" }, { EDQUOT, "stopped: EDQUOT" }, { EIO, "stopped: EIO" },
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

/* Return the place of the text in the start of a trace, or 0. */
static unsigned long place_of_ending(const unsigned char *start)
{
    for (unsigned long at = 0; at + WIDTH <= START_ROOM; at++) {
        unsigned same = 0;
        while (same < WIDTH && start[at + same] == (unsigned char)running[same])
            same++;
        if (same == WIDTH)
            return at;
    }
    return 0;
}

/* Map the start of the trace, which is written by now. */
void inst_map_ending(const unsigned char *start)
{
    struct inst_process *process = &inst_process;
    unsigned long place = process->mode == MAPPED ? place_of_ending(start) : 0;
    if (!place)
        return;
    long at = inst_mmap(0, START_ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, process->fd, 0);
    if ((unsigned long)at > -4096ul)
        return;
    process->start = (unsigned char *)at;
    process->ending_text = process->start + place;
    inst_map_unreported(process->start);
}

/* In a child of fork, which does not write to its parent's trace. */
void inst_forget_ending(void)
{
    if (inst_process.start)
        inst_syscall(__NR_munmap, (long)inst_process.start, START_ROOM, 0, 0, 0, 0);
    inst_process.start = inst_process.ending_text = 0;
    inst_forget_unreported();
}

void inst_write_ending(const char *text)
{
    volatile unsigned char *at = inst_process.ending_text;
    if (!at || inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0) != inst_process.pid)
        return;
    for (unsigned n = 0; n < WIDTH; n++)
        at[n] = *text ? *text++ : ' ';
}

void inst_write_stopped(int error)
{
    const char *text = "stopped";
    for (unsigned n = 0; n < sizeof reasons / sizeof *reasons; n++)
        if (reasons[n].error == error)
            text = reasons[n].text;
    inst_write_ending(text);
}
