/* What the runtime offers to hook libraries that write traces: see runtime/README.md.

   A hook of such a library is

       unsigned char *p = inst_place();
       if (inst_unlikely(!p)) return slow_path(...);      which is INST_PRESERVING
       write the event at p, at most inst_format.reserve bytes
       if (inst_unlikely(inst_commit(p + size))) return retry(p, ...);

   so that the ordinary path calls nothing and needs few registers.  The first byte of an event is
   never zero and is stored last: until then readers treat the space as unwritten.  */
#ifndef INST_RUNTIME_H
#define INST_RUNTIME_H

#include <stddef.h>
#include <stdint.h>
#include <inst/hints.h>
#include <inst/hooks.h>
#include <preserve.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

#define inst_likely(condition) __builtin_expect(!!(condition), 1)
#define inst_unlikely(condition) __builtin_expect(!!(condition), 0)
#define inst_ordered() __asm__ __volatile__("" ::: "memory")

/* What a thread needs at each event; the rest is in its block. */
struct inst_thread_state {
    uintptr_t busy;             /* stack pointer of the hook that runs; INST_IDLE: none */
    unsigned char *cursor;      /* end of the last complete event */
    unsigned char *limit;       /* events may begin below; 0: call inst_place_slow */
    unsigned char *nested_end;  /* end of the events that interrupted a hook; 0: none */
    struct inst_block *block;
    uint32_t mark;              /* for the library: what it writes into each event, */
    uint32_t second_mark;       /* and more of it; INST_EXCHANGE is the runtime's */
    uint32_t next_id;           /* for the library: number of the next event */
    int flag;                   /* the hook that was interrupted, while signalhook_special runs */
    int hook;                   /* the hook that runs, where glue does not know it; 0: none, */
    uintptr_t hook_stack;       /* and the stack pointer of the function that called it */
    uintptr_t signal_place;     /* where the program was interrupted, if at a site; else 0 */
    int signal_in_event;        /* a signal came while an event was written by an unknown hook */
    int recorded;               /* inst_recorded_access gets what is decoded now */
    int in_operation;           /* other code makes an access that is reported before or after it */
    int forking;                /* in a call that may return in another process as well */
    int fork_thread;            /* the kernel's number of the thread that forked last, */
    uint64_t fork_number;       /* and of the event that says so; 0: none does */
    int paused;                 /* accesses are not recorded (pause.c), */
    uint32_t skips;             /* and have not been since the process turned so often; 0: ask */
    const volatile uint32_t *turns; /* where that is counted, if `skips` is not 0 */
    struct inst_window {        /* counted/counts.c */
        uint64_t end;           /* the count at which the counter's window ends, */
        uint64_t left;          /* and how much of the phase is left after it */
        int phase;
    } window;
    struct inst_extra *extra;   /* what few threads need (runtime/calls.h); 0: nothing yet */
    struct inst_counter {       /* counter.c; last, because it has a beginning of its own */
        int32_t left, offset, state;
    } counter;
};
/* In mark while the store half of an atomic instruction is reported: INSTR's bt of RST. */
enum { INST_EXCHANGE = 0x00040000 };
/* In busy: the thread has had no event yet, as where there is no thread-local storage yet; or no hook
   runs, so that hooks may take the fast path. */
enum { INST_NOT_STARTED = 0, INST_IDLE = 1 };
extern __thread struct inst_thread_state inst_own_thread;

/* All instrumented modules of a process share one recorder (runtime/recorder.h): in a shared object the
   thread's state is where the recorder's module has it.  Before a shared object has joined, that is a
   word of the C library's which is a pointer, as `busy` is where the fast path must not be taken. */
#ifdef __PIE__
#define inst_thread inst_own_thread
#else
extern intptr_t inst_thread_offset;

static inline __attribute__((always_inline)) char *inst_thread_pointer(void)
{
    register char *now __asm__(INST_THREAD_REGISTER);
    __asm__("" : "=r"(now));
    return now;
}
#define inst_thread (*(struct inst_thread_state *)(inst_thread_pointer() + inst_thread_offset))
#endif

/* Where the segments of a thread write: the library `record` (runtime/segments.h). */
/* A range is a block of three words: segments/ranges.c. */
enum { INST_PINS = 32, INST_PIN_GROUPS = 24, INST_BEYOND = 3 };

/* Where a block ends: the number of its chunk, 0 for none, the offset there, and the number of the
   run: a handler's run may lie between two that meet at the same offset. */
struct inst_place {
    uint32_t chunk, offset;
    uint64_t order;
};

struct inst_part {
    unsigned char *chunk;       /* 0: none, they write to nowhere */
    uint32_t number;            /* of the chunk in the file */
    int copied;                 /* it is memory, and is copied to the file */
    uintptr_t end;              /* of the run: the next check begins another */
    uint32_t ended;             /* where the blocks ended when the thread reported its end */
    uint64_t order;             /* of the run: its number among all threads', */
    uintptr_t start;            /* and where it begins */
    struct inst_piece {
        unsigned char *chunk;
        uint32_t number;
    } rest,                     /* the chunk of a thread that has ended, to be continued */
        spare;                  /* one that handlers have written to */
    uintptr_t spare_cursor;
    struct inst_place last;     /* where the last block ends of the runs before, */
    struct inst_place interrupted; /* and at the hook whose event has the block's `place` */
    uintptr_t ranges[2];        /* names of blocks with what is read and written; 0: there are none */
    uintptr_t *left_out;        /* counts the loads left out since the last value that a hook has written,
                                   where the library `windows` can go on with that; else 0 */
    uint32_t serial;            /* of the last signal */
    struct inst_pin {           /* where code writes that a signal interrupted */
        unsigned char *chunk;   /* 0: nowhere */
        uint32_t number;
        int copied;
        uintptr_t stack;        /* where the kernel has stored its registers, on the handler's stack */
        uint32_t serial;
        uintptr_t cursor, limit, written, end;
        uintptr_t *beyond;      /* words of a block that is not below the cursor yet, or 0; */
        uintptr_t words[INST_BEYOND];   /* and what they held */
    } *pins[INST_PIN_GROUPS];   /* INST_PINS, twice as many, and so on: segments/pins.c */
    unsigned pinned;
};

/* The state of a thread that outlives it. */
struct inst_block {
    struct inst_block *next;
    unsigned char *chunk;       /* where events go now */
    unsigned char *chunk_end;
    unsigned char *volatile place; /* the space of an interrupted hook's event; 0: none */
    int place_is_out;           /* the buffer was written out without that space, or an exec was tried:
                                   the event is written again, elsewhere */
    unsigned char *held;        /* chunk of a hook that was interrupted, if it is another */
    uint32_t begun;             /* where in the chunk this thread's part begins, or in a buffer what
                                   has not been written out */
    unsigned char *rest;        /* a finished thread's chunk, of which the end can be used, */
    uint32_t rest_begun;        /* and where that begins; rest is 0: none */
    uint64_t offset;            /* of the chunk in the file */
    uint64_t held_offset;
    int copied;                 /* chunks are memory, and are copied to the file */
    uint32_t mask[2];           /* signals that were blocked before a slow path */
    uint32_t number;            /* 1 for the first thread */
    uint32_t tid;               /* as the kernel counts, */
    uint32_t pid;               /* and of the process that it belongs to */
    uint32_t last_id;           /* event numbers below are this thread's */
    uint32_t nested_id;         /* of the next event that interrupts a hook */
    int is_nested;              /* the slow path writes one now */
    uint64_t counts[2][20];     /* of the library count: ordinary and interrupting */
    struct inst_part part;      /* of the library record */
};

/* A library's description of the trace format that it writes. */
struct inst_format {
    const char *extension;
    uint32_t reserve;           /* bytes the longest event takes, a multiple of unit */
    uint32_t unit;              /* events are multiples of it */
    uint32_t ids;               /* events a chunk can hold, if they are numbered */
    void (*fill)(unsigned char *from, unsigned char *to);   /* writes what readers ignore */
    /* Writes what makes readers continue after a space that may end in zeros. */
    unsigned char *(*resume)(unsigned char *);
    unsigned char *(*begin)(unsigned char *);       /* writes the start of the file */
    /* Writes where another image of the process lies, as an event; 0: the format cannot. */
    unsigned char *(*image)(unsigned char *, const char *path, inst_address base);
    unsigned char *(*begin_chunk)(unsigned char *, int first); /* and of each chunk of a thread */
    /* Writes a place in the order of all threads, before an access that orders them: its address and how
       it does.  0: the format has none. */
    unsigned char *(*order)(unsigned char *, uint64_t place, inst_address, unsigned size,
                            const char *how);
    /* Return whether a handler may interrupt `order` with this word at any instruction: it takes no lock
       then. 0: it never may. */
    int (*knows)(const char *how);
    /* Writes an access that wrappers of library functions report, with the place of the call; 0: the
       format has ranges only, or none. */
    unsigned char *(*access)(unsigned char *, int writes, inst_address, unsigned size, uint64_t value,
                             inst_address pc);
    /* Writes an event: the thread's accesses are missing from here on (`pause`), or are there again
       (`resume`), the source that asked for it, or 0, and the thread's count, or -1 for none.
       0: the format cannot. */
    unsigned char *(*gap)(unsigned char *, const char *word, const char *source, int64_t count);
    /* Return where the first of a thread's events begins that comes after a place in the order of all
       threads; `to` if none does.  0: the format has no such places. */
    unsigned char *(*cut)(unsigned char *from, unsigned char *to, uint64_t place);
    unsigned char *(*end)(unsigned char *);         /* writes the end of the file */
};
extern const struct inst_format inst_format __attribute__((weak));

/* Whether a hook runs, which a handler has interrupted. */
static inline int inst_is_busy(const struct inst_thread_state *thread)
{
    return thread->busy > INST_IDLE;
}

static inline uintptr_t inst_stack(void)
{
    uintptr_t stack;
    __asm__ __volatile__(INST_STACK : "=r"(stack));
    return stack;
}

static inline void inst_store_stack(uintptr_t *place)
{
#ifdef INST_STORE_STACK
    __asm__ __volatile__(INST_STORE_STACK : "=m"(*place));
#else
    *place = inst_stack();
#endif
}

/* Return where the next event goes, or 0 if inst_place_slow has to find it. */
static inline unsigned char *inst_place(void)
{
    struct inst_thread_state *thread = &inst_thread;
    if (inst_unlikely(thread->busy != INST_IDLE))
        return 0;
    inst_store_stack(&thread->busy);
    inst_ordered();
    unsigned char *place = thread->cursor;
    if (inst_likely(place < thread->limit)) {
        if (!place)
            __builtin_unreachable();
        return place;
    }
    thread->busy = INST_IDLE;
    return 0;
}

/* End the event; return 1 if inst_commit_slow has to. */
static inline int inst_commit(unsigned char *end)
{
    struct inst_thread_state *thread = &inst_thread;
    inst_ordered();
    thread->cursor = end;
    inst_ordered();
    if (inst_unlikely(thread->nested_end))
        return 1;
    thread->busy = INST_IDLE;
    return 0;
}

/* Slow paths.  All of them block signals until their second half is called.

   inst_place_slow returns where an event goes that inst_place had no space for, interrupted hook or
   not; inst_commit_slow ends it.  An event whose inst_commit returned 1 was interrupted: inst_retry
   returns where to write it again, or 0 if it is complete; inst_retry_done is passed its end, or 0. */
unsigned char *inst_place_slow(void);
void inst_commit_slow(unsigned char *end);
unsigned char *inst_retry(unsigned char *place);
void inst_retry_done(unsigned char *end);

/* Write an event, where it may interrupt another and be interrupted: PUT writes it to AT and returns its
   end, and is evaluated once more if a handler's events have come in between.  Without space on the fast
   path it is written if WANTED. */
#define INST_WRITE_EVENT(WANTED, AT, PUT)               \
    do {                                                \
        unsigned char *AT = inst_place();               \
        if (inst_likely(AT)) {                          \
            if (inst_unlikely(inst_commit(PUT))) {      \
                AT = inst_retry(AT);                    \
                inst_retry_done(AT ? (PUT) : 0);        \
            }                                           \
        } else if (WANTED) {                            \
            AT = inst_place_slow();                     \
            inst_commit_slow(PUT);                      \
        }                                               \
    } while (0)

/* Whether an access is recorded: INST_WATCH lets it, and recording is not paused; slow paths check before they take a place. */
int inst_wanted(inst_address address, unsigned size);
/* Whether an access can be skipped where inst_place has returned 0: the thread has paused, and nothing
   has been decided since.  Shared objects ask each time.  It needs no address of data, so that entries
   of hooks find none for it. */
static inline int inst_skips(void)
{
#ifdef __PIE__
    return inst_thread.skips && inst_thread.skips == *inst_thread.turns;
#else
    return 0;
#endif
}

/* Whether INST_WATCH leaves anything out. */
int inst_watching(void);

/* A number for the event of INST_WRITE_EVENT or of a slow path.  Another fast path takes next_id before
   it writes and stores the next one before it commits. */
uint32_t inst_slow_id(void);

/* A place in the order that all threads share: 1, 2, 3 ... without gaps.  The thread's next events come
   after all that has a lower number; called between the halves of a slow path. */
uint64_t inst_next_order(void);
/* The same at any time; 0 where only inst_next_order can assign one. */
uint64_t inst_quick_order(void);
/* The last place that was assigned. */
uint64_t inst_last_order(void);

/* A lock for data that a library's threads share, between the halves of a slow path; it is free in a
   child of fork. */
void inst_lock_process(void);
void inst_unlock_process(void);

/* The counters of a hook that interrupted another, or that is the first of its thread. */
uint64_t *inst_counts_slow(void);
void inst_counts_done(void);

/* A library that writes whole instructions defines this: it gets the multiple and string forms
   of PowerPC at once, with all general registers, instead of by a hook for each part; and pairs of
   vector registers without any. */
void inst_several(inst_address address, inst_address pc, unsigned size, int stores,
                  const inst_address *registers) __attribute__((weak));

/* A library that writes the addresses of calls as they are defines these: what wrappers of library
   functions report of locks (`hook` is the number of lockhook, trylockhook or unlockhook) and hints
   comes here, with the address of the program's call, whose text those hooks would get as source. */
void inst_lock_at(int hook, inst_address lock, inst_address place) __attribute__((weak));
void inst_hint_at(enum inst_hint hint, inst_address address, uint64_t value, inst_address place)
    __attribute__((weak));

/* A library that leaves accesses out defines this: it gets those of which it may not, since they order
   threads, load and store, or are a part of what their instruction does. */
void inst_recorded_access(int stores, unsigned size, inst_address address, inst_address pc,
                          uint64_t value, uint64_t low) __attribute__((weak));

/* The word for a signal in a trace: "signal", or "signal in ldwhook". */
const char *inst_signal_word(int hook);

/* The program counter at the last signal, if it was at a site and not in a hook: the handler may then
   have run between an access and its event.  Else 0. */
uintptr_t inst_signal_place(void);

/* Defined by a library: called after a handler that came while an access was being reported, before
   the program continues. */
void inst_signal_returned(int signal);

/* Of the library `record`: return whether a record states where the blocks end before an event. */
enum { INST_PLACE_BYTES = 24 };
int inst_record_place(const unsigned char *record, struct inst_place *place);

/* Called before a fork, if it is there: an event with this number is where the child goes on. */
void inst_record_fork(uint64_t number);

/* Called before the hooks of a signal, if it is there, with the registers of the code that was interrupted:
   the kernel's array of them, on SPARC where %l0 to %l7 and %i0 to %i7 were stored, and those of floating
   point; 0 if there are none. */
void inst_record_registers(const uintptr_t *registers, const uintptr_t *window,
                           const uint32_t *floats);

/* For the start of a recording, whose producer states there why pieces are missing. */
#define INST_WHOLE "partial=no           "

/* For the start of a trace. */
enum { INST_STRINGS = 17, INST_DESCRIPTION = 3072 };
struct inst_string {
    const char *name;
    const char *value;
};
int inst_describe(struct inst_string *strings, char *room, unsigned size);
struct inst_block *inst_blocks(void);
/* Whether the trace goes to a pipe or the like, whose start cannot be changed at the end. */
int inst_streams(void);
/* Gather the strings a trace ends with, of what is not 0; return how many: accesses that such a trace lacks,
   threads that still run, and those of them whose events are left out, since they come after its end. */
enum { INST_NUMBER = 16, INST_LAST_STRINGS = 3 };
int inst_describe_end(struct inst_string *strings, char room[INST_LAST_STRINGS][INST_NUMBER]);
uint64_t inst_time(void);
uintptr_t inst_image_base(void);
uintptr_t inst_recorded_base(void);
const char *inst_image_path(char *room, unsigned size);
const char *inst_output_name(void);

/* For libraries that write a text at the end, on standard error or to the file that INST_OUT names. */
void inst_message(const char *what, const char *name, int error);
void inst_write_text(const char *text, unsigned size);
char *inst_text(char *at, char *end, const char *text);
char *inst_decimal(char *at, char *end, uint32_t number);
char *inst_hexadecimal(char *at, char *end, uint64_t number);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
