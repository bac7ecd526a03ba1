/* Modules: the program and the shared objects that were instrumented each have a runtime, and one of
   them is the recorder's.

   A module has a note, which states with which hooks it was linked and where its recorder lies: notes
   survive whatever linkers and version scripts do with symbols.  A shared object looks for the first
   module with the same hooks, made by the same version, in the order of the dynamic linker's list:
   the program, then what was loaded first.  That one's thread-local variables lie at one distance from
   the thread pointer in all threads.

   The module of the recorder stays loaded.  The process's end is that of the last module. */
#include "countdown.h"
#include "process.h"
#include "segments.h"
#include "width.h"

#include <architecture.h>
#include <entry.h>
#include <inst/handlers.h>

extern const unsigned char __start_inst_entries[]
    __attribute__((weak, visibility("hidden")));
extern const unsigned char __stop_inst_entries[]
    __attribute__((weak, visibility("hidden")));
extern unsigned char inst_segments_nowhere[] __attribute__((weak, visibility("hidden")));
static void prepare(void);

/* An emulator translates the code of a page anew after a store to it: this is on no page that has code. */
__attribute__((aligned(INST_DATA_ALIGNMENT))) struct inst_recorder_state inst_own_recorder = {
    .self = &inst_own_recorder,
    .begin = inst_begin,
    .prepare = prepare,
    .segments_sink = inst_segments_nowhere,
    .last_token = 1,
    .pauses = { .turns = &inst_own_turns },
    .process = { .fd = -1, .output = -1 },
    .signals = { { inst_first_arrival, inst_second_arrival }, inst_fatal_arrival },
};

static struct inst_module own;

extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
    __attribute__((weak, visibility("default")));
extern int __cxa_at_quick_exit(void (*)(void *), void *)
    __attribute__((weak, visibility("default")));
extern void *__dso_handle __attribute__((weak)); /* a program without start files has none */

/* The recorder begins: called by its own module. */
void inst_own_begins(void)
{
    struct inst_recorder_state *recorder = &inst_own_recorder;
    uintptr_t now;
    __asm__ __volatile__(INST_THREAD_POINTER : "=r"(now));
    recorder->base = inst_image_base();
    recorder->is_main = inst_main_image();
    recorder->thread = (intptr_t)&inst_own_thread - now;
    if (INST_RECORDS)
        recorder->segments = inst_segments_distance(now);
#ifndef __PIE__
    inst_thread_offset = recorder->thread;
    inst_segments_offset = recorder->segments;
#endif
}

/* Enter this module into the recorder's list; called with the process's lock. */
void inst_enter_module(void)
{
    own.base = inst_image_base();
    own.entries = __start_inst_entries;
    own.entries_end = __stop_inst_entries;
    own.steps[0].loaded = (uintptr_t)inst_count_loaded;
    own.steps[0].stored = (uintptr_t)inst_count_stored;
    own.steps[1].loaded = (uintptr_t)inst_down_loaded;
    own.steps[1].stored = (uintptr_t)inst_down_stored;
    own.next = inst_recorder.modules;
    inst_recorder.facts |= inst_own_facts();
    if (!inst_recorder.unseen)
        inst_recorder.unseen = inst_own_unseen();
    inst_ordered();
    inst_recorder.modules = &own;
}

/* This module's destructors run; return whether it is the last of the process. */
int inst_leave_module(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock_process();
    int is_last = --inst_recorder.users <= 0;
    struct inst_module **one = &inst_recorder.modules;
    while (*one && *one != &own)
        one = &(*one)->next;
    if (&inst_recorder != &inst_own_recorder && *one)
        *one = own.next;
    inst_unlock_process();
    inst_unblock_signals(mask);
    return is_last;
}

/* Return the end of a path for which an event has room. */
static const char *end_of_path(const char *path)
{
    enum { LONGEST = 200 };
    unsigned length = 0;
    while (path[length])
        length++;
    return length > LONGEST ? path + length - LONGEST : path;
}

/* Write where this module lies, as an event of its own. */
unsigned char *inst_put_image(unsigned char *at)
{
    char path[NAME];
    return inst_format.image(at, end_of_path(inst_path_of(own.base, 0, path, sizeof path)), own.base);
}

/* Write where all modules lie but the recorder's own, which the trace's start has named. */
unsigned char *inst_put_images(unsigned char *at)
{
    char path[NAME];
    for (const struct inst_module *one = inst_recorder.modules; one && inst_format.image;
         one = one->next)
        if (one->base != inst_recorder.base)
            at = inst_format.image(at, end_of_path(inst_path_of(one->base, 0, path, sizeof path)),
                                   one->base);
    return at;
}

static void at_quick_exit(void *unused)
{
    (void)unused;
    inst_process_ends();
}

#ifdef __PIE__

static void pin(void) {}

#else

extern void *dlopen(const char *, int) __attribute__((weak, visibility("default")));

/* The recorder's module must not be unloaded before the process ends. */
static void pin(void)
{
    enum { LAZY = 1, NOT_LOADED_NOW = 4, STAYS = 0x1000 };
    char path[NAME];
    const char *name = inst_path_of(inst_own_recorder.base, 0, path, sizeof path);
    if (!inst_own_recorder.is_main && dlopen && *name)
        dlopen(name, LAZY | NOT_LOADED_NOW | STAYS);
}

#endif

static void prepare(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock_process();
    int first = !inst_own_recorder.is_prepared;
    inst_own_recorder.is_prepared = 1;
    inst_unlock_process();
    inst_unblock_signals(mask);
    if (!first)
        return;
    if (__cxa_at_quick_exit)
        __cxa_at_quick_exit(at_quick_exit, &__dso_handle);
    if (__register_atfork)
        __register_atfork(inst_before_fork, inst_after_fork, inst_in_child, &__dso_handle);
    pin();
}
