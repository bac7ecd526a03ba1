/* What wrappers of libgomp's functions report: how OpenMP's constructs order the threads of a team.

   The beginning of a region comes before all of its threads, and they and all tasks before its end.
   Hints whose tokens are addresses of the region, of what a thread executes, or of a task state it.  */
#ifndef INST_OPENMP_H
#define INST_OPENMP_H

#include <stdbool.h>
#include <stddef.h>

#include <inst/lock_order.h>
#include <inst/wrap.h>

/* Their addresses are the locks of all that has no name. */
extern void __real_GOMP_critical_start(void);
extern void __real_GOMP_atomic_start(void);

typedef void (*body)(void *);
typedef void (*copier)(void *, void *);
typedef unsigned long long ull;

/* Places of a region whose addresses are tokens.  Barriers have two in turn: at the next one, a thread
   that was fast publishes what a slow one, which is still in this one, does not come after.  */
enum inst_token { INST_BEGINS, INST_ENDS, INST_MEETS, INST_MEETS_AGAIN, INST_ORDERED,
                  INST_DEPENDENT, INST_TOKENS };

/* A parallel region, as long as its first thread is in the wrapper. */
struct inst_region {
    char tokens[INST_TOKENS];
    body run;
    void *data;
    uintptr_t place;
};

/* What libgomp gets in place of a task's data, and copies when it makes the task.  It writes the
   iterations of a task of a loop to the start of the data.  */
struct inst_task {
    union {
        long of_long[2];
        ull of_ull[2];
    } part;
    size_t part_size;           /* of those that are set; 0: it is no task of a loop */
    body run;
    copier copy;                /* 0: copied as bytes */
    void *data;                 /* of the program; in the copy: what comes after it */
    size_t size, offset;        /* of the data, and in the copy */
    struct inst_region *region;
    uintptr_t parent, group;    /* tokens; 0: there is no group */
    int is_dependent;
    uintptr_t place;
};

enum { INST_TASK_DEPENDS = 8, INST_TASK_NO_GROUP = 1 << 11, INST_TASK_REDUCES = 1 << 12,
       INST_TASK_IS_DETACHED = 1 << 13 };

#pragma GCC visibility push(hidden)

void inst_region_begins(struct inst_region *region, body *run, void **data, uintptr_t place);
void inst_region_ended(const struct inst_region *region);

/* Return a token of the region that the thread is in; and that of its task, for the tasks it makes. */
uintptr_t inst_of_region(enum inst_token token);
uintptr_t inst_children(void);

/* Before and after a barrier of the team. */
void inst_barrier_begins(uintptr_t place);
void inst_barrier_ended(uintptr_t place);

void inst_group_begins(void);
void inst_group_ended(uintptr_t place);

/* Have a task made of which the start and the end are reported: change the arguments. */
void inst_task_made(struct inst_task *task, unsigned flags, uintptr_t place);
void inst_task_copied(void *to, void *from);
void inst_task_runs(void *task);
size_t inst_task_size(struct inst_task *task, long alignment);

/* Whether a nest lock was taken again by its owner. */
void inst_nest_locked(void *lock, uintptr_t place);

#pragma GCC visibility pop

#define FORKS                                                                               \
    struct inst_region region;                                                              \
    inst_region_begins(&region, &run, &data, place)
#define JOINS inst_region_ended(&region)
#define ARRIVES inst_barrier_begins(place)
#define GOES_ON inst_barrier_ended(place)
#define NEST_LOCKED(lock) inst_nest_locked(lock, place)
#define PART                                                                                \
    if (result) {                                                                           \
        inst_writes(start, sizeof *start);                                                  \
        inst_writes(end, sizeof *end);                                                      \
    }

/* libgomp writes to the data of tasks that have these flags, and reads it. */
#define TASK(COUNTER_SIZE)                                                                  \
    struct inst_task task = { .part_size = 2 * (COUNTER_SIZE), .run = run, .copy = copy,    \
                              .data = data, .size = size };                                 \
    if (!(flags & (INST_TASK_REDUCES | INST_TASK_IS_DETACHED))) {                           \
        inst_task_made(&task, flags, place);                                                \
        if (alignment < (long)_Alignof(struct inst_task))                                   \
            alignment = _Alignof(struct inst_task);                                         \
        size = inst_task_size(&task, alignment);                                            \
        run = inst_task_runs;                                                               \
        copy = inst_task_copied;                                                            \
        data = &task;                                                                       \
    }
#define GROUP_OF_LOOP                                                                       \
    int is_group = !(flags & INST_TASK_NO_GROUP);                                           \
    if (is_group)                                                                           \
        inst_group_begins()
#define LOOP_ENDS                                                                           \
    if (is_group)                                                                           \
        inst_group_ended(place)

#endif
