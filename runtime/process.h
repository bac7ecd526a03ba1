/* The state and functions that the files of the runtime share. */
#ifndef INST_PROCESS_H
#define INST_PROCESS_H

#ifdef INST_BARE
#include "bare/process.h"
#else

#include <inst/runtime.h>
#include <syscall.h>

#pragma GCC visibility push(hidden)

/* A chunk is a whole number of pages and of records; START_ROOM is for the start of a file. */
enum { CHUNK = 3 * 65536, NAME = 4096, START_ROOM = 8192 };
enum { CLOSED, MAPPED, WRITTEN, STOPPED };

/* A lock that its owner may take again. Around fork and around functions that set a signal's handler
   it is held while code of the C library runs, which may be instrumented: its events may need it. */
struct inst_owned_lock {
    volatile uint32_t lock;
    uint32_t again;             /* how often its owner has taken it again */
    struct inst_thread_state *volatile owner;
};

/* The state of tracing in this process. */
struct inst_process_state {
    struct inst_owned_lock lock, memory_lock;   /* the second for the memory that hooks ask for */
    int started;
    int mode;                   /* of those above */
    int fd;                     /* of what chunks are in, */
    int output;                 /* and of the output if that is a ring; -1: it is the output */
    unsigned char *ring;        /* the ring, mapped; 0: chunks lie in the file one after the other */
    int table;                  /* the file explains its segments (segments/table.c); -1: cannot */
    int recorders;              /* traces that this process writes, when this one was opened */
    int begun;                  /* the first chunk has been given out */
    uint64_t forks;             /* how many have been recorded */
    int forked;
    long parent;                /* of one that has been forked: the process that did, */
    int parent_thread;          /* its thread, and the number of its event; 0: it is not recorded */
    uint64_t fork_number;
    int ended;                  /* exithook has been called, or is */
    long pid;
    struct inst_thread_state *ending; /* the thread that ends the trace: others have no more of it */
    uint64_t last_place;        /* in the order of all threads: their events after it are left out */
    uint32_t cut;               /* threads of which some are, */
    uint32_t running;           /* and those that have not ended */
    uint64_t next_offset;       /* of the next chunk in the file */
    uint64_t most;              /* bytes of the file that chunks may take; 0: any number */
    unsigned long long device, inode;
    uint32_t threads;           /* how many have begun */
    int threaded;               /* there are, or will be, several */
    uint32_t next_id;
    uint32_t quick_order;       /* the last place assigned in the order all threads share, up to 32 bits */
    uint64_t order;             /* the last place, or how many there are above those */
    struct inst_block *blocks;
    struct inst_block *asked;   /* the block last checked for a thread that has ended */
    unsigned char *inherited;   /* where a hook that a handler interrupted, which forked, writes in */
    unsigned char *inherited_chunk; /* the child: not its file, but memory of its own; 0: nowhere */
    unsigned char *start;       /* the start of the file, and in it the text about its end; */
    unsigned char *ending_text; /* 0: cannot be changed */
    unsigned char *partial_text; /* the same of the text about what is missing */
    char name[NAME];            /* of the output file */
};

#include "recorder.h"

void inst_block_signals(uint32_t *mask);
void inst_unblock_signals(const uint32_t *mask);
/* Locks that their thread may take again. */
void inst_lock_owned(struct inst_owned_lock *lock);
void inst_unlock_owned(struct inst_owned_lock *lock);
void *inst_map(unsigned long size);

/* Around the call of a hook by other code than glue, so that a signal can identify it. */
struct inst_running {
    int hook;
    uintptr_t stack;
};

static inline struct inst_running inst_begin_hook(int hook)
{
    inst_join();
    struct inst_running before = { inst_thread.hook, inst_thread.hook_stack };
    inst_thread.hook_stack = inst_stack();
    inst_ordered();
    inst_thread.hook = hook;
    inst_ordered();
    return before;
}

static inline void inst_end_hook(struct inst_running before)
{
    inst_ordered();
    inst_thread.hook = before.hook;
    inst_ordered();
    inst_thread.hook_stack = before.stack;
}

void inst_begin(void);
int inst_is_own_process(void);
void inst_catch_fatal_signals(void);
void inst_catch_toggle(void);
/* Change what the kernel does at a signal; on SPARC a handler that returns has a restorer. */
long inst_change_action(int number, const unsigned long *action, unsigned long *before,
                        uintptr_t restorer);
void inst_start_process(void);
void inst_start_thread(struct inst_thread_state *thread);
void inst_next_chunk(struct inst_thread_state *thread);
unsigned char *inst_next_limit(const struct inst_block *block);
void inst_set_limit(struct inst_thread_state *thread);

/* pause.c: whether the thread records no accesses, after it has followed the process; whether it has to
   follow; and a mark that it is in another state, in which a handler had found the thread. */
int inst_paused(void);
int inst_has_to_turn(void);
void inst_turn(int off);        /* let the process record, or not */
void inst_turn_back(int off);

/* Whether the library counts for windows (`counted`, else `uncounted`): the length of the first window,
   0 for none; whether the thread is outside of what is recorded; and its count. */
extern const int inst_has_windows;
int inst_first_window(void);
int inst_is_outside(void);
uint64_t inst_counted(void);
void inst_read_windows(void);

const char *inst_last_unreported(char room[INST_NUMBER]);
void inst_finish_output(struct inst_thread_state *thread, unsigned char *place);
void inst_save_output(struct inst_thread_state *thread);
void inst_continue_output(void);
void inst_stop(const char *what, int error);
int inst_at_end(const struct inst_block *block);
int inst_write_all(int fd, const void *from, unsigned long size);
void inst_take_back(struct inst_block *block);
void inst_release_held(struct inst_block *block);
void inst_forget_output(struct inst_thread_state *thread);
void inst_release_inherited(void);
void inst_clear_room(unsigned char **place);
void inst_leave_room(struct inst_block *block);
unsigned char *inst_last_place(void);
int inst_is_gone(const struct inst_block *block);
int inst_open_output(const char *extension);
/* Why the output is refused, in place of an error number of the kernel's. */
enum { INST_OF_OTHERS = 4096, INST_FOLDER_OF_OTHERS, INST_HAS_OTHER_NAMES, INST_NO_FILE,
       INST_PRIVILEGED, INST_STREAM,
       INST_NO_SLOT, INST_NO_DRAIN, INST_AT_LIMIT };
enum { INST_RUN = 24 };
const char *inst_run(char *room, unsigned size);
int inst_main_image(void);
/* ranges.c: what inst_reads and inst_writes do by hooks. */
void inst_report_read(const volatile void *address, size_t size);
void inst_report_written(const volatile void *address, size_t size);
const char *inst_path_of(uintptr_t base, int is_main, char *room, unsigned size);
void inst_count_recorders(void);
int inst_has_unreported_sites(void);

void inst_forget_ending(void);
void inst_write_ending(const char *text);
const char *inst_first_ending(void);

enum { INST_UNREPORTED = 12 };
const char *inst_first_unreported(char *room);
void inst_report_unreported(void);

int32_t *inst_counter_left(void);
void *inst_early(void *variable);

void inst_before_fork(void);
void inst_after_fork(void);
void inst_in_child(void);
void inst_look_for_fork(struct inst_thread_state *thread);
int inst_forks(uint32_t number, const long *arguments);

extern char **environ __attribute__((weak, visibility("default")));
extern const uintptr_t *inst_first_stack;

/* Find which registers entries save, by the auxiliary vector's AT_HWCAP: on PowerPC, where not every
   processor has vectors. */
void inst_find_vectors(uintptr_t hardware);
uint32_t inst_user(void);
int inst_privileged(void);
const char *inst_environment(const char *name);
int inst_differ(const char *a, const char *b, unsigned size);
long inst_read_file(const char *name, char *room, unsigned long size);

#pragma GCC visibility pop

#endif
#endif
