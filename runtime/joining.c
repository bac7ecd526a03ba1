/* How a shared object finds the recorder that it joins. */
#include "process.h"
#include "segments.h"
#include "width.h"

#include <thread.h>

#ifndef __PIE__

enum { NOTE = 4, KIND = 1, KEY = 32 };

/* The content of the note: inst/glue/members.py. */
struct facts {
    int32_t recorder;           /* how far it lies from here */
    uint32_t is_shared;         /* its modules may share one */
    char key[KEY];              /* a digest of all that has to be the same in them */
    char hooks[];               /* the library's name */
};
extern const struct facts inst_facts __attribute__((visibility("hidden")));

struct description {            /* struct dl_phdr_info */
    uintptr_t bias;
    const char *name;
    const inst_elf_segment *segments;
    uint16_t count;
};
extern int dl_iterate_phdr(int (*)(struct description *, size_t, void *), void *)
    __attribute__((weak, visibility("default")));

/* What has been found so far. */
struct search {
    struct inst_recorder_state *found;
    const struct facts *other;  /* an earlier module's, which is not of the same kind; 0: none */
    const char *name;           /* and that module's */
    int is_over;
};

/* Before a shared object has joined, a word of the C library's is taken for its thread-local state. */
intptr_t inst_thread_offset = INST_THREAD_WORD;
intptr_t inst_segments_offset;
struct inst_recorder_state *inst_joined = &inst_own_recorder;
volatile int inst_has_joined;
static volatile uint32_t joining;

static uint32_t rounded(uint32_t size)
{
    return (size + NOTE - 1) & -(uint32_t)NOTE;
}

/* Return our note among those of a segment, or 0. */
static const struct facts *find_note(uintptr_t from, uintptr_t to)
{
    while (to - from > 3 * sizeof(uint32_t)) {
        const uint32_t *head = (const uint32_t *)from;
        const char *name = (const char *)(head + 3);
        uintptr_t next = (uintptr_t)name + rounded(head[0]) + rounded(head[1]);
        if (head[0] == 5 && head[2] == KIND && !inst_differ(name, "inst", 5))
            return (const struct facts *)(name + rounded(head[0]));
        if (next <= from || next > to)
            return 0;
        from = next;
    }
    return 0;
}

static const struct facts *facts_of(const struct description *one)
{
    const struct facts *found = 0;
    for (unsigned n = 0; n < one->count && !found; n++) {
        const inst_elf_segment *segment = &one->segments[n];
        uintptr_t at = one->bias + segment->p_vaddr;
        if (segment->p_type == PT_NOTE && segment->p_align <= 4)
            found = find_note(at, at + segment->p_memsz);
    }
    return found;
}

/* Look at a module; return whether the search is over. */
static int look_at(struct description *one, size_t size, void *given)
{
    struct search *search = given;
    const struct facts *facts = facts_of(one);
    (void)size;
    if (!facts)
        return 0;
    if (facts == &inst_facts)
        return search->is_over = 1;
    struct inst_recorder_state *recorder =
        (struct inst_recorder_state *)((uintptr_t)&facts->recorder + facts->recorder);
    if (inst_differ(facts->key, inst_facts.key, KEY)) {
        search->name = one->name;
        search->other = facts;
    } else if (inst_facts.is_shared && recorder->self == recorder) {
        search->found = recorder;
        return search->is_over = 1;
    }
    return 0;
}

static int is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static char *put_name(char *at, char *end, const char *name)
{
    return inst_text(at, end, *name ? name : "the program");
}

/* An earlier module records otherwise, and this one joins none. */
static void report_other(const struct search *search)
{
    char own[NAME], line[NAME], *end = line + sizeof line - 200;
    int same = is_same(search->other->hooks, inst_facts.hooks);
    char *at = inst_text(line, end, "inst: ");
    at = inst_text(at, end, inst_path_of(inst_image_base(), 0, own, sizeof own));
    at = inst_text(at, end, same ? " was linked by another version of inst than "
                                 : " was linked with the hook library ");
    if (!same)
        at = inst_text(inst_text(at, end, inst_facts.hooks), end, ", and ");
    at = put_name(at, end, search->name);
    if (!same)
        at = inst_text(inst_text(at, end, " with "), end, search->other->hooks);
    at = inst_text(at, end + 199, ": each records by itself, and nothing orders what they record\n");
    inst_syscall(__NR_write, 2, (long)line, at - line, 0, 0, 0);
}

static void join(void)
{
    struct search search = { 0 };
    if (dl_iterate_phdr)
        dl_iterate_phdr(look_at, &search);
    if (search.found) {
        search.found->begin();
        inst_joined = search.found;
        inst_thread_offset = search.found->thread;
        inst_segments_offset = search.found->segments;
    } else if (search.other) {
        report_other(&search);
    }
    inst_ordered();
    inst_has_joined = 1;
    if (!search.found)
        return inst_begin();
    inst_lock_process();
    inst_enter_module();
    int has_begun = inst_process.begun;
    inst_unlock_process();
    if (has_begun && &inst_format && inst_format.image)
        inst_commit_slow(inst_put_image(inst_place_slow()));
}

void inst_join_now(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    inst_lock(&joining);
    if (!inst_has_joined)
        join();
    inst_unlock(&joining);
    inst_unblock_signals(mask);
}

#endif
