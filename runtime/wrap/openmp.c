/* OpenMP's regions and tasks, as libgomp runs them: how they order threads.

   The program's functions that libgomp calls are called by functions of ours, in which the thread
   knows what it executes.  Its stack has that, and the recorder where it is: wrappers of several
   modules may be called in one region.  */
#include <string.h>

#include <inst/openmp.h>
#include <inst/thread_order.h>

enum { GROUPS = 8 };

/* What a thread executes: a region's body, or a task of it. */
struct frame {
    struct frame *outer;
    struct inst_region *region;
    struct frame *implicit;     /* that of the thread in the region; 0: it has left the region's body */
    unsigned barriers;          /* how many it has gone through */
    uintptr_t group;            /* token of the group that the task belongs to; 0: none */
    unsigned depth;             /* of the groups that it has begun itself; */
    char groups[GROUPS];        /* their tokens: those that are too deep count as one */
    char children;              /* token of the tasks that it has made */
};

/* That libgomp is seen: image.c. */
const char inst_sees_openmp __attribute__((visibility("hidden"))) = 1;

extern void **inst_openmp_frame(void) __attribute__((visibility("hidden")));

/* What is executed outside of regions has no other threads. */
static struct inst_region no_region;
static struct frame no_frame = { .region = &no_region, .implicit = &no_frame };

static struct frame *frame(void)
{
    struct frame *current = *inst_openmp_frame();
    return current ? current : &no_frame;
}

static void enter(struct frame *now)
{
    void **place = inst_openmp_frame();
    now->outer = *place;
    *place = now;
}

static void leave(struct frame *now)
{
    *inst_openmp_frame() = now->outer;
}

static uintptr_t token_of(const struct inst_region *region, enum inst_token token)
{
    return (uintptr_t)&region->tokens[token];
}

uintptr_t inst_of_region(enum inst_token token)
{
    return token_of(frame()->region, token);
}

uintptr_t inst_children(void)
{
    return (uintptr_t)&frame()->children;
}

/* A thread of a team executes the region's body. */
static void run(void *given)
{
    struct inst_region *region = given;
    uintptr_t place = region->place;
    TAKES(token_of(region, INST_BEGINS));
    /* On every exit path: a thread may be cancelled. */
    __attribute__((cleanup(leave))) struct frame now = { .region = region, .implicit = &now };
    enter(&now);
    region->run(region->data);
    LEAVES(token_of(region, INST_ENDS));
}

void inst_region_begins(struct inst_region *region, body *body, void **data, uintptr_t place)
{
    *region = (struct inst_region){ { 0 }, *body, *data, place };
    inst_threads_begin();
    LEAVES(token_of(region, INST_BEGINS));
    *body = run;
    *data = region;
}

void inst_region_ended(const struct inst_region *region)
{
    uintptr_t place = region->place;
    TAKES(token_of(region, INST_ENDS));
}

static uintptr_t barrier_of(const struct frame *implicit)
{
    return token_of(implicit->region, implicit->barriers % 2 ? INST_MEETS_AGAIN : INST_MEETS);
}

void inst_barrier_begins(uintptr_t place)
{
    LEAVES(barrier_of(frame()->implicit));
}

void inst_barrier_ended(uintptr_t place)
{
    struct frame *implicit = frame()->implicit;
    TAKES(barrier_of(implicit));
    implicit->barriers++;
}

static uintptr_t group_of(const struct frame *now)
{
    unsigned depth = now->depth < GROUPS ? now->depth : GROUPS;
    return depth ? (uintptr_t)&now->groups[depth - 1] : now->group;
}

void inst_group_begins(void)
{
    frame()->depth++;
}

void inst_group_ended(uintptr_t place)
{
    struct frame *now = frame();
    TAKES(group_of(now));
    now->depth--;
}

void inst_task_made(struct inst_task *task, unsigned flags, uintptr_t place)
{
    const struct frame *now = frame();
    task->region = now->region;
    task->parent = (uintptr_t)&now->children;
    task->group = group_of(now);
    task->is_dependent = !!(flags & INST_TASK_DEPENDS);
    task->place = place;
}

size_t inst_task_size(struct inst_task *task, long alignment)
{
    task->offset = (sizeof *task + alignment - 1) / alignment * alignment;
    return task->offset + task->size;
}

/* libgomp makes a task, in memory that another one may have had. */
void inst_task_copied(void *to, void *from)
{
    struct inst_task *task = to;
    memcpy(task, from, sizeof *task);
    void *data = task->data;
    task->data = (char *)to + task->offset;
    uintptr_t place = task->place;
    inst_takes_block(task, task->offset + task->size, place);
    if (task->copy) {
        task->copy(task->data, data);
    } else {
        inst_reads(data, task->size);
        memcpy(task->data, data, task->size);
        inst_writes(task->data, task->size);
    }
    LEAVES(&task->run);
}

/* The task has ended: what waits for it comes after it. */
static void end(struct frame *now, const struct inst_task *task)
{
    uintptr_t place = task->place;
    if (task->is_dependent)
        LEAVES(token_of(task->region, INST_DEPENDENT));
    LEAVES(task->parent);
    if (task->group)
        LEAVES(task->group);
    if (now->implicit)
        LEAVES(barrier_of(now->implicit));
    LEAVES(token_of(task->region, INST_ENDS));
    leave(now);
}

void inst_task_runs(void *given)
{
    struct inst_task *task = given;
    uintptr_t place = task->place;
    TAKES(&task->run);
    if (task->is_dependent)
        TAKES(token_of(task->region, INST_DEPENDENT));
    if (task->part_size) {
        memcpy(task->data, &task->part, task->part_size);
        inst_writes(task->data, task->part_size);
    }
    struct frame now = { .region = task->region, .group = task->group };
    enter(&now);
    if (now.outer && now.outer->region == now.region)
        now.implicit = now.outer->implicit;
    task->run(task->data);
    end(&now, task);
}

/* libgomp's nest lock is a lock, and a number that its owner alone changes. */
void inst_nest_locked(void *lock, uintptr_t place)
{
    if (((const int *)lock)[1] > 1)
        TRIED(lock);
    else
        LOCKED(lock);
}
