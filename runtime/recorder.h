/* The recorder of a process: the state that all instrumented modules of it share.

   The program and each shared object have hooks and a runtime of their own.  The recorder is that of the
   first one in the dynamic linker's list; the others join it (modules.c), and their code works on its
   state.  What is a static variable in some file is in here if several modules have to agree on it. */
#ifndef INST_RECORDER_H
#define INST_RECORDER_H

enum { LAST_SIGNAL = 64, SIGNAL_SLOTS = 2 };

/* A module that has joined. */
struct inst_module {
    struct inst_module *next;
    uintptr_t base;             /* where its first byte lies */
    const void *entries, *entries_end; /* its glue: signal.c */
    struct {
        uintptr_t loaded, stored;
    } steps[2];                 /* of its counter: countdown.h */
};

/* What a trace states of modules, any of which may have it. */
enum { INST_HAS_CXX = 1, INST_HAS_FORTRAN = 2, INST_HAS_ADA = 4, INST_HAS_OWN_FUNCTIONS = 8,
       INST_HAS_LEFT_OUT = 16, INST_HAS_UNREPORTED = 32, INST_HAS_OPENMP = 64,
       INST_SEES_OPENMP = 128 };

struct inst_recorder_state {
    struct inst_recorder_state *self; /* itself, once the dynamic linker has relocated its module */
    void (*begin)(void);        /* starts it, if that has not been done */
    void (*prepare)(void);      /* is called by each module's constructor: what needs the C library */
    int is_prepared;
    struct inst_module *modules;
    int users;                  /* modules whose destructors have not run */
    uintptr_t base;             /* where the first byte lies of the image whose module has it, */
    int is_main;                /* and whether that is the program */
    intptr_t thread, segments;  /* how far its thread-local variables lie from the thread pointer */
    uint32_t facts;
    const char *unseen;         /* a function by which libgomp orders threads without a record; 0: none */
    int32_t first_limit;        /* counter.c */
    uintptr_t last_token;       /* thread_hooks.c */
    struct inst_process_state process;
    struct inst_signals {       /* signal.c */
        void (*arrivals[SIGNAL_SLOTS])(int, void *, void *);
        void (*fatal)(int, void *, void *);
        int catching;
        void (*toggle)(int);    /* toggle.c: the handler, */
        int toggling;           /* and the signal; 0: none */
        volatile int fatal_information[LAST_SIGNAL + 1];
        struct {
            void (*volatile handler)(int, void *, void *);
            volatile int with_information;
        } slots[SIGNAL_SLOTS][LAST_SIGNAL + 1];
    } signals;
    struct inst_pauses {        /* pause.c */
        volatile int state;
        volatile int off;       /* accesses are not recorded; threads follow when they can */
        volatile uint32_t *turns; /* how often that was decided, from 1: inst_own_turns */
    } pauses;
    struct inst_counts {        /* counted/counts.c: numbers of counts; 0: not given */
        uint64_t start, stop, on, off;
    } counts;
    struct inst_watch {         /* watch.c */
        volatile int state;
        unsigned count;
        struct {
            uintptr_t start, size;
        } ranges[16];
    } watch;
    struct inst_unreported {    /* unreported.c */
        volatile uint32_t count, more, reported, reported_more;
        volatile unsigned char *in_trace; /* its place in the start of the trace, or 0 */
    } unreported;
    struct inst_ring {          /* segments/ring.c */
        uint32_t most;          /* slots for which there are addresses */
        uint32_t next;          /* slot to look at first */
        int tables;             /* chunks are those of a table */
        unsigned char *parents; /* in a child of fork, the first chunk of its parent's, or 0 */
        char drain[NAME];       /* the file that the process locks which takes chunks away */
    } ring;
    unsigned char *segments_sink; /* where blocks go that are not recorded: segments/room.c */
    unsigned char sink[2 * START_ROOM]; /* and events */
};

extern volatile uint32_t inst_own_turns;
extern struct inst_recorder_state inst_own_recorder;

#ifdef __PIE__                  /* the program is the first in the list */
#define inst_recorder inst_own_recorder
static inline void inst_join(void) {}
#else
extern struct inst_recorder_state *inst_joined;
extern volatile int inst_has_joined;
#define inst_recorder (*inst_joined)
void inst_join_now(void);

/* Called before the thread's or the recorder's state is used elsewhere than in an event's fast path. */
static inline void inst_join(void)
{
    if (inst_unlikely(!inst_has_joined))
        inst_join_now();
}
#endif

#define inst_process inst_recorder.process
#define inst_sink inst_recorder.sink

/* signal.c: handlers that the kernel calls. */
void inst_first_arrival(int number, void *second, void *third);
void inst_second_arrival(int number, void *second, void *third);
void inst_fatal_arrival(int number, void *second, void *third);

/* modules.c */
void inst_own_begins(void);
void inst_enter_module(void);
int inst_leave_module(void);
unsigned char *inst_put_image(unsigned char *at);
unsigned char *inst_put_images(unsigned char *at);
uint32_t inst_own_facts(void);
const char *inst_own_unseen(void);

#endif
