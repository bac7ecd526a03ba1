/* What the files of the runtime that need no operating system find in place of ../process.h: there are
   no threads and no signals to keep the books for. */
#ifndef INST_BARE_PROCESS_H
#define INST_BARE_PROCESS_H

#include <inst/runtime.h>

struct inst_running {
    int hook;
};

static inline struct inst_running inst_begin_hook(int hook)
{
    return (struct inst_running){ hook };
}

static inline void inst_end_hook(struct inst_running before)
{
    (void)before;
}

/* There are no files. */
static inline long inst_read_file(const char *name, char *room, unsigned long size)
{
    (void)name, (void)room, (void)size;
    return -1;
}

#endif
