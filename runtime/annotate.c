/* From annotations in programs to hooks. */
#include "calls.h"
#include "process.h"

#include <inst/hints.h>

#pragma GCC visibility push(hidden)
const void *inst_event_mark(void);
void **inst_openmp_frame(void);
void inst_annotate_lock(inst_address at, const char *source);
void inst_annotate_trylock(inst_address at, const char *source);
void inst_annotate_unlock(inst_address at, const char *source);
void inst_saw_lock(inst_address at, inst_address place);
void inst_saw_trylock(inst_address at, inst_address place);
void inst_saw_unlock(inst_address at, inst_address place);
void inst_annotate_mem_init(inst_address at, inst_address size, const char *source);
void inst_annotate_mem_free(inst_address at, inst_address size, const char *source);
void inst_annotate_mem_set(inst_address at, inst_address size, uint32_t value,
                           const char *source);
void inst_annotate_barrier(const char *kind, const char *source);
void inst_annotate_tlbi(const char *operation, int operands, uint64_t operand,
                        const char *source);
void inst_annotate_sysreg(const char *name, uint64_t value, const char *source);
void inst_annotate_dump(void (*put)(char));
void inst_annotate_drain(void (*put)(char));
#pragma GCC visibility pop

#pragma weak hinthook
#pragma weak lockhook
#pragma weak trylockhook
#pragma weak unlockhook
#pragma weak meminithook
#pragma weak memfreehook
#pragma weak memsethook
#pragma weak barrierhook
#pragma weak tlbihook
#pragma weak sysreghook

#ifdef INST_BARE
#include "bare/annotate.h"
#else

const void *inst_event_mark(void)
{
    return inst_thread.nested_end ? inst_thread.nested_end : inst_thread.cursor;
}

/* Locks that the thread holds and that wrappers saw it take.  Annotations of these add nothing:
   a program may annotate its locks whether or not their implementation is seen.  Those that do not
   fit are recorded twice where they are annotated.  */
static int is_seen(inst_address at)
{
    inst_join();
    const struct inst_extra *extra = inst_thread.extra;
    for (unsigned n = 0; extra && n < extra->seen.count; n++)
        if (extra->seen.locks[n] == at)
            return 1;
    return 0;
}

static void see(inst_address at)
{
    struct inst_extra *extra = inst_extra();
    if (extra->seen.count < sizeof extra->seen.locks / sizeof *extra->seen.locks)
        extra->seen.locks[extra->seen.count++] = at;
}

/* Forget the last time the lock was taken, if it was noted. */
static void forget(inst_address at)
{
    inst_join();
    struct inst_extra *extra = inst_thread.extra;
    for (unsigned n = extra ? extra->seen.count : 0; n--;)
        if (extra->seen.locks[n] == at) {
            extra->seen.locks[n] = extra->seen.locks[--extra->seen.count];
            return;
        }
}

/* Return where the thread has what it executes of an OpenMP region. */
void **inst_openmp_frame(void)
{
    return &inst_extra()->openmp;
}

#endif

void inst_annotate_hint(const char *kind, inst_address at, uint64_t value, const char *source)
{
    struct inst_running before = inst_begin_hook(INST_HINTHOOK);
    if (hinthook)
        ((void (*)(const char *, inst_address, uint64_t, const char *))hinthook)(kind, at, value,
                                                                                 source);
    inst_end_hook(before);
}

static void about_address(void (*hook)(), int number, inst_address at, const char *source)
{
    struct inst_running before = inst_begin_hook(number);
    if (hook)
        ((void (*)(inst_address, const char *))hook)(at, source);
    inst_end_hook(before);
}

void inst_annotate_lock(inst_address at, const char *source)
{
    if (!is_seen(at))
        about_address(lockhook, INST_LOCKHOOK, at, source);
}

void inst_annotate_trylock(inst_address at, const char *source)
{
    if (!is_seen(at))
        about_address(trylockhook, INST_TRYLOCKHOOK, at, source);
}

void inst_annotate_unlock(inst_address at, const char *source)
{
    if (!is_seen(at))
        about_address(unlockhook, INST_UNLOCKHOOK, at, source);
}

#ifndef INST_BARE
/* A place in the program as the source of an annotation: 0x and its digits. */
enum { TEXT_OF_PLACE = 2 + 2 * sizeof(inst_address) + 1 };

static const char *text_of(inst_address place, char *text)
{
    char *to = text;
    *to++ = '0';
    *to++ = 'x';
    for (unsigned left = 8 * sizeof place; left; left -= 4)
        *to++ = "0123456789abcdef"[place >> (left - 4) & 15];
    *to = 0;
    return text;
}

void inst_give_hint(enum inst_hint hint, inst_address at, uint64_t value, inst_address place)
{
    static const char *const words[INST_HINTS] = INST_HINT_WORDS;
    if (inst_hint_at) {
        struct inst_running before = inst_begin_hook(INST_HINTHOOK);
        inst_hint_at(hint, at, value, place);
        inst_end_hook(before);
    } else if (hinthook) {
        char text[TEXT_OF_PLACE];
        inst_annotate_hint(words[hint], at, value, text_of(place, text));
    }
}

static void about_lock(void (*hook)(), int number, inst_address at, inst_address place)
{
    if (inst_lock_at) {
        struct inst_running before = inst_begin_hook(number);
        inst_lock_at(number, at, place);
        inst_end_hook(before);
    } else if (hook) {
        char text[TEXT_OF_PLACE];
        about_address(hook, number, at, text_of(place, text));
    }
}

void inst_saw_lock(inst_address at, inst_address place)
{
    see(at);
    about_lock(lockhook, INST_LOCKHOOK, at, place);
}

void inst_saw_trylock(inst_address at, inst_address place)
{
    see(at);
    about_lock(trylockhook, INST_TRYLOCKHOOK, at, place);
}

void inst_saw_unlock(inst_address at, inst_address place)
{
    forget(at);
    about_lock(unlockhook, INST_UNLOCKHOOK, at, place);
}
#endif

#ifndef INST_BARE
/* There is no ring. */
void inst_annotate_dump(void (*put)(char))
{
    (void)put;
}

void inst_annotate_drain(void (*put)(char))
{
    (void)put;
}
#endif

static void about_region(void (*hook)(), int number, inst_address at, inst_address size,
                         const char *source)
{
    struct inst_running before = inst_begin_hook(number);
    if (hook)
        ((void (*)(inst_address, inst_address, const char *))hook)(at, size, source);
    inst_end_hook(before);
}

void inst_annotate_mem_init(inst_address at, inst_address size, const char *source)
{
    about_region(meminithook, INST_MEMINITHOOK, at, size, source);
}

void inst_annotate_mem_free(inst_address at, inst_address size, const char *source)
{
    about_region(memfreehook, INST_MEMFREEHOOK, at, size, source);
}

void inst_annotate_mem_set(inst_address at, inst_address size, uint32_t value, const char *source)
{
    struct inst_running before = inst_begin_hook(INST_MEMSETHOOK);
    if (memsethook)
        ((void (*)(inst_address, inst_address, uint32_t, const char *))memsethook)(at, size,
                                                                                   value, source);
    inst_end_hook(before);
}

void inst_annotate_barrier(const char *kind, const char *source)
{
    struct inst_running before = inst_begin_hook(INST_BARRIERHOOK);
    if (barrierhook)
        ((void (*)(const char *, const char *))barrierhook)(kind, source);
    inst_end_hook(before);
}

void inst_annotate_tlbi(const char *operation, int operands, uint64_t operand, const char *source)
{
    struct inst_running before = inst_begin_hook(INST_TLBIHOOK);
    if (tlbihook)
        ((void (*)(const char *, int, uint64_t, const char *))tlbihook)(operation, operands,
                                                                        operand, source);
    inst_end_hook(before);
}

void inst_annotate_sysreg(const char *name, uint64_t value, const char *source)
{
    struct inst_running before = inst_begin_hook(INST_SYSREGHOOK);
    if (sysreghook)
        ((void (*)(const char *, uint64_t, const char *))sysreghook)(name, value, source);
    inst_end_hook(before);
}
