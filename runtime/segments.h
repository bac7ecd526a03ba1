/* Segments: instructions of the program that record its accesses without a call, and the chunks of
   the file that they write to.  Only the library `record` has the functions; elsewhere they are 0.

   Code of a segment reserves a block of words by advancing the cursor, stores the block's last word,
   its trailer, and fills the words below.  Chunks are in the target's byte order. */
#ifndef INST_SEGMENTS_H
#define INST_SEGMENTS_H

#include <inst/runtime.h>

#pragma GCC visibility push(hidden)

/* Code of segments reads both by their offset from the thread pointer: segments/room.c. */
struct inst_segments_state {
    uintptr_t cursor;           /* address of the last word written; 0: the thread has not begun */
    uintptr_t limit;            /* a checked segment begins below; 0: call inst.room first */
    uintptr_t spilled;          /* what the register of the pointer held that a segment has taken */
};
extern __thread struct inst_segments_state inst_own_segments __asm__("inst.segments");

/* As the thread's other state, it is where the recorder's module has it. */
#ifdef __PIE__
#define inst_segments inst_own_segments
#else
extern intptr_t inst_segments_offset;
#define inst_segments \
    (*(struct inst_segments_state *)(inst_thread_pointer() + inst_segments_offset))
#endif

/* Called by glue: give the thread room for segments.  Afterwards its cursor is below its limit. */
void inst_room(void) __attribute__((weak));

/* For the runtime: whether the library records. */
#define INST_RECORDS (&inst_room != 0)

/* Whether segments store values one by one: nothing names them, and a value may be 0. */
extern const char inst_loose __asm__("inst.loose") __attribute__((weak));
#define INST_IS_LOOSE (&inst_loose != 0)
/* Whether code is to be executed again. */
extern const char inst_executed __asm__("inst.executed") __attribute__((weak));
#define INST_IS_EXECUTED (&inst_executed != 0)
enum { INST_RECORDING_BLOCKS = 8, INST_RECORDING_LOOSE = 9, INST_RECORDING_WINDOWS = 10 };
#define INST_RECORDING_VERSION (INST_IS_LOOSE ? INST_RECORDING_LOOSE : INST_RECORDING_BLOCKS)

/* Return how far this module's variable lies from the thread pointer. */
intptr_t inst_segments_distance(uintptr_t pointer) __attribute__((weak));

void inst_segments_check(void) __attribute__((weak));
void inst_segments_go_on(void) __attribute__((weak));
void inst_segments_take_back(struct inst_block *block) __attribute__((weak));
void inst_segments_thread_ended(void) __attribute__((weak));
void inst_segments_expect_fork(void) __attribute__((weak));
void inst_segments_pause(void) __attribute__((weak));
void inst_segments_resume(void) __attribute__((weak));
void inst_segments_forget(struct inst_thread_state *thread) __attribute__((weak));
void inst_segments_save(const struct inst_block *block) __attribute__((weak));
struct inst_taken;
void inst_segments_finish_other(struct inst_block *block, struct inst_taken *taken)
    __attribute__((weak));
void inst_segments_finish_own(struct inst_block *block) __attribute__((weak));

/* Before the event of a signal, between that and the handler, and after the handler: the interrupted
   code may be in a segment.  The last two take what the first returned; signals are blocked.  A segment
   is recorded as a whole, or not: the last but one states that the interrupted one goes on, if the
   handler has paused the recording or resumed it, and the thread follows at the next check. */
struct inst_code;
struct inst_arrival {
    struct inst_block *block;
    uint32_t serial;
    unsigned char *chunk;
    int paused;                 /* what the interrupted code wrote went nowhere */
    uintptr_t spilled;
};
struct inst_arrival inst_segments_arrive(const struct inst_code *code) __attribute__((weak));
void inst_segments_leave(void) __attribute__((weak));
void inst_segments_turn_back(struct inst_arrival arrival) __attribute__((weak));
void inst_segments_return(uintptr_t *registers, struct inst_arrival arrival) __attribute__((weak));
void inst_segments_settle(const struct inst_code *code) __attribute__((weak));

/* Keep the place of an interrupted hook's event, which may not be written yet. */
void inst_segments_interrupted(struct inst_part *part) __attribute__((weak));

/* segments/table.c: whether the program's file describes its segments, and writing that; called with
   the process's lock. */
int inst_segments_described(void) __attribute__((weak));
int inst_write_table(void) __attribute__((weak));

/* Return where the thread's last block ends; a run without blocks is not stated.  A signal may give the
   thread another chunk at any time. */
static inline struct inst_place inst_segments_place(void)
{
    const volatile struct inst_part *part = &inst_thread.block->part;
    const volatile struct inst_segments_state *segments = &inst_segments;
    for (;;) {
        const unsigned char *chunk = part->chunk;
        uint32_t number = part->number;
        uint64_t order = part->order;
        uintptr_t cursor = segments->cursor;
        if (!chunk || cursor + sizeof(uintptr_t) <= part->start)
            return part->last;
        if (number == part->number && chunk == part->chunk && order == part->order)
            return (struct inst_place){ number, cursor + sizeof(uintptr_t) - (uintptr_t)chunk,
                                        order };
    }
}

#pragma GCC visibility pop

#endif
