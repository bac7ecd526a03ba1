/* Write events other than accesses: annotations, the order of threads, signals, system calls
   and the ranges that they and library functions touch. */
#include "rst.h"

#include <syscall.h>

/* Annotations: EVENT and EVENT_SIZE, preceded by the EVENT_TEXTs that define the numbers of word and
   source.  They are defined each time, because chunks of other threads may come first. */
enum { PIECE = sizeof ((struct rst_event_text *)0)->text - 1 };     /* without its NUL */
enum { WORD_PIECES = 2, SITE_PIECES = 6, ANNOTATION_RECORDS = 1 + WORD_PIECES + SITE_PIECES + 2 };
_Static_assert((int)ANNOTATION_RECORDS <= (int)EVENT_RECORDS, "an annotation has no room");

struct annotation {
    uint32_t kind, flags;
    uint64_t address, value, size;
    inst_address place;         /* its source, if that is code and has no text */
};

/* A word as its EVENT_TEXTs have it, and a NUL. */
enum { WORD_BYTES = WORD_PIECES * PIECE };
union word {
    char text[WORD_BYTES + 1];
    record_word parts[WORD_BYTES / sizeof(record_word)];
};

/* The words of hints that wrappers give, which have the first numbers, from 1. */
static const union word given[INST_HINTS] = INST_HINT_WORDS;

/* The other words of the process, whose numbers come after these by their place; those that are there
   do not change.  All of it is 0 at the start: initialised data of this size would put the program's small
   data out of its base's reach (32 KiB on 32-bit PowerPC). */
enum { WORDS = 255 - INST_HINTS, PLACES = 64 };
static struct {
    uint32_t count;
    uint8_t last[PLACES];       /* the numbers of those found last, by the addresses of their texts */
    union word words[WORDS];
} known;

static const union word *word_of(uint32_t number)
{
    return number <= INST_HINTS ? &given[number - 1] : &known.words[number - 1 - INST_HINTS];
}

static int is_word(const union word *word, const char *text)
{
    const char *known_text = word->text;
    while (*known_text && *known_text == *text)
        known_text++, text++;
    return *known_text == *text;
}

/* Return the end of a text that is too long for its records: it identifies a source better. */
static const char *last_of(const char *text, unsigned most)
{
    unsigned length = 0;
    while (text[length])
        length++;
    return length > most ? text + length - most : text;
}

static uint32_t find_word(const char *text)
{
    uint32_t count = INST_HINTS + __atomic_load_n(&known.count, __ATOMIC_ACQUIRE);
    for (uint32_t number = 1; number <= count; number++)
        if (is_word(word_of(number), text))
            return number;
    return 0;
}

static __attribute__((noinline, cold)) uint32_t add_word(const char *text)
{
    inst_lock_process();
    uint32_t number = find_word(text);
    if (!number && known.count < WORDS) {
        /* All of it: a fork may have left a part of another word there. */
        for (unsigned n = 0; n < WORD_BYTES; n++)
            known.words[known.count].text[n] = *text ? *text++ : 0;
        __atomic_store_n(&known.count, known.count + 1, __ATOMIC_RELEASE);
        number = INST_HINTS + known.count;
    }
    inst_unlock_process();
    return number;
}

/* Return the number that a word has; 0 if it has none. */
static uint32_t number_found(const char *text)
{
    uint8_t *last = &known.last[(uintptr_t)text % PLACES];
    uint32_t number = __atomic_load_n(last, __ATOMIC_ACQUIRE);
    if (inst_likely(number) && inst_likely(is_word(word_of(number), text)))
        return number;
    number = find_word(last_of(text, WORD_BYTES));
    __atomic_store_n(last, number, __ATOMIC_RELEASE);
    return number;
}

int rst_knows(const char *word)
{
    return number_found(word) != 0;
}

/* Return a number for a word; 0 when there are too many of them.  Signals must be blocked if it may be
   new: the event of a handler would wait for the lock forever. */
static uint32_t number_of(const char *text)
{
    if (!*text)
        return 0;
    uint32_t number = number_found(text);
    return inst_likely(number) ? number : add_word(last_of(text, WORD_BYTES));
}

/* Write the first word of an EVENT_TEXT, the rest of which is there. */
static unsigned char *end_text(unsigned char *at, uint32_t flags)
{
    inst_ordered();
    put(at, 0, (uint32_t)RST_EVENT_TEXT << 24 | flags << 16);
    return at + RST_SIZE;
}

/* Define the number of a word. */
static unsigned char *put_word(unsigned char *at, uint32_t number)
{
    enum { PARTS = PIECE / sizeof(record_word) };
    const union word *word = word_of(number);
    for (unsigned piece = 0; piece < WORD_PIECES; piece++) {
        int last = piece + 1 == WORD_PIECES || !word->text[(piece + 1) * PIECE];
        put(at, 1, number);
        for (unsigned n = 0; n < PARTS; n++)
            ((record_word *)at)[2 + n] = word->parts[piece * PARTS + n];
        at = end_text(at, last ? RST_EVENT_TEXT_LAST : 0);
        if (last)
            break;
    }
    return at;
}

/* Define the number of a source. */
static unsigned char *put_source(unsigned char *at, const char *text, uint32_t number)
{
    text = last_of(text, SITE_PIECES * PIECE);
    do {
        put(at, 1, number);
        for (unsigned n = 2; n < RST_SIZE / sizeof(record_word); n++)
            put(at, n, 0);
        for (unsigned n = 0; n < PIECE && *text; n++)
            at[8 + n] = *text++;
        at = end_text(at, RST_EVENT_TEXT_IS_SITE | (*text ? 0 : RST_EVENT_TEXT_LAST));
    } while (*text);
    return at;
}

/* Write an EVENT with a place in the order of all threads, which is the next event's; if that is an
   access which orders threads, with its address and the kind of order. */
static unsigned char *put_order(unsigned char *at, uint64_t order, inst_address address,
                                uint32_t detail)
{
    if (detail)
        at = put_word(at, detail);
    put(at, 1, detail << 16 | own_cpu());
    put_address(at, 2, address);
    put(at, 4, order >> 32);
    put(at, 5, order);
    inst_ordered();
    put(at, 0, event_word(RST_KIND_ORDER,
                          RST_FLAG_HAS_VALUE | (address ? RST_FLAG_HAS_ADDRESS : 0)));
    return at + RST_SIZE;
}

unsigned char *rst_put_order(unsigned char *at, uint64_t order, inst_address address, unsigned size,
                             const char *how)
{
    (void)size;
    return put_order(rst_position(at), order, address, number_of(how));
}

/* Return a number for a source: its own address, or the place in the code if it names one,
   since the address of such a text depends on its writer's buffer. */
static uint32_t number_of_source(const char *source)
{
    uint32_t place = 0;
    if (source[0] != '0' || source[1] != 'x')
        return (uintptr_t)source;
    for (source += 2; *source; source++)
        place = place << 4 | ((*source & 15) + (*source > '9' ? 9 : 0));
    return place;
}

/* Write an EVENT with the numbers of its word and source, and its EVENT_SIZE. */
static inline __attribute__((always_inline)) unsigned char *put_numbered(
    unsigned char *at, const struct annotation *annotation, uint32_t detail, uint32_t site)
{
    put(at, 1, detail << 16 | own_cpu());
    put(at, 2, annotation->address >> 32);
    put(at, 3, annotation->address);
    put(at, 4, annotation->value >> 32);
    put(at, 5, annotation->value);
    put(at + RST_SIZE, 1, annotation->place ? 2 * sizeof annotation->place : site);
    put(at + RST_SIZE, 2, annotation->size >> 32);
    put(at + RST_SIZE, 3, annotation->size);
    put_address(at + RST_SIZE, 4, annotation->place);
    put(at + RST_SIZE, 0,
        (uint32_t)RST_EVENT_SIZE << 24 | (annotation->place ? RST_EVENT_SIZE_PLACED << 16 : 0));
    inst_ordered();
    put(at, 0, event_word(annotation->kind, annotation->flags));
    return at + 2 * RST_SIZE;
}

/* Write an annotation with the number of its word, and its place in the order of all threads; 0: none. */
static unsigned char *put_annotation(unsigned char *at, const struct annotation *annotation,
                                     uint64_t order, uint32_t detail, const char *source)
{
    uint32_t site = source ? number_of_source(source) : 0;
    if (order)
        at = put_order(at, order, 0, 0);
    if (detail)
        at = put_word(at, detail);
    if (site)
        at = put_source(at, source, site);
    return put_numbered(at, annotation, detail, site);
}

/* The value of 16 bytes as a number, whose less significant half little-endian memory has first. */
static void put_number(unsigned char *low, unsigned char *high, const struct rst_access *access)
{
    enum { LITTLE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
    int swapped = access->size == 16 && !LITTLE;
    uint64_t value = swapped ? access->second : access->first;
    uint64_t more = swapped ? access->first : access->second;
    put(low, 4, value >> 32);
    put(low, 5, value);
    put(high, 4, more >> 32);
    put(high, 5, more);
}

unsigned char *rst_put_own(unsigned char *at, const struct rst_access *access)
{
    put(at, 1, own_cpu());
    put_address(at, 2, access->address);
    put_number(at, at + 2 * RST_SIZE, access);
    put(at + RST_SIZE, 1, 0);
    put_address(at + RST_SIZE, 2, access->pc);
    put_two(at + RST_SIZE, 4, 0, 0);
    put(at + RST_SIZE, 0, (uint32_t)RST_EVENT_PC << 24);
    put(at + 2 * RST_SIZE, 1, 0);
    put_address(at + 2 * RST_SIZE, 2, access->size);
    put(at + 2 * RST_SIZE, 0, (uint32_t)RST_EVENT_SIZE << 24);
    inst_ordered();
    put(at, 0, event_word(access->writes ? RST_KIND_WRITE : RST_KIND_READ,
                          RST_FLAG_HAS_ADDRESS | RST_FLAG_HAS_VALUE | RST_FLAG_HAS_PC));
    return at + 3 * RST_SIZE;
}

unsigned char *rst_put_access(unsigned char *at, int writes, inst_address address, unsigned size,
                              uint64_t value, inst_address pc)
{
    struct rst_access access = { writes, address, size, value, 0, pc };
    return rst_put_own(rst_position(at), &access);
}

/* Write an annotation with signals blocked: it may need a lock. */
static __attribute__((noinline)) void write_slowly(
    const struct annotation *annotation, const char *word, const char *source)
{
    unsigned char *at = rst_position(inst_place_slow());
    uint64_t order = annotation->kind >= RST_KIND_HINT ? inst_next_order() : 0;
    inst_commit_slow(put_annotation(at, annotation, order, number_of(word), source));
}

/* Allocations are annotated, and there may be many: as accesses, annotations take the fast path.
   Return whether that was possible. */
static inline __attribute__((always_inline)) int is_written(
    const struct annotation *annotation, uint32_t detail, const char *source)
{
    int is_ordered = annotation->kind >= RST_KIND_HINT;
    uint64_t order = is_ordered && inst_thread.limit ? inst_quick_order() : 0;
    if (inst_unlikely(!inst_thread.limit || (is_ordered && !order)))
        return 0;
    INST_WRITE_EVENT(1, at, put_annotation(rst_position(at), annotation, order, detail, source));
    return 1;
}

static __attribute__((noinline)) void write_annotation(
    struct annotation annotation, const char *word, const char *source)
{
    uint32_t detail = *word ? number_found(word) : 0;
    if (inst_unlikely(!detail && *word) || !is_written(&annotation, detail, source))
        write_slowly(&annotation, word, source);
}

void inst_hint_at(enum inst_hint hint, inst_address address, uint64_t value, inst_address place)
{
    struct annotation annotation = { RST_KIND_HINT, RST_FLAG_HAS_ADDRESS | RST_FLAG_HAS_VALUE,
                                     address, value, 0, place };
    if (!is_written(&annotation, hint + 1, 0))
        write_slowly(&annotation, given[hint].text, 0);
}

void inst_lock_at(int hook, inst_address lock, inst_address place)
{
    uint32_t kind = hook == INST_LOCKHOOK      ? RST_KIND_LOCK
                    : hook == INST_TRYLOCKHOOK ? RST_KIND_TRYLOCK
                                               : RST_KIND_UNLOCK;
    struct annotation annotation = { kind, RST_FLAG_HAS_ADDRESS, lock, 0, 0, place };
    if (!is_written(&annotation, 0, 0))
        write_slowly(&annotation, "", 0);
}

unsigned char *rst_put_gap(unsigned char *at, const char *word, const char *source, int64_t count)
{
    struct annotation annotation = { RST_KIND_GAP, count < 0 ? 0 : RST_FLAG_HAS_VALUE, 0,
                                     count < 0 ? 0 : count, 0 };
    return put_annotation(rst_position(at), &annotation, 0, number_of(word), source);
}

void lockhook(inst_address address, const char *source)
{
    write_annotation((struct annotation){ RST_KIND_LOCK, RST_FLAG_HAS_ADDRESS, address, 0, 0 },
                     "", source);
}

void trylockhook(inst_address address, const char *source)
{
    write_annotation((struct annotation){ RST_KIND_TRYLOCK, RST_FLAG_HAS_ADDRESS, address, 0, 0 },
                     "", source);
}

void unlockhook(inst_address address, const char *source)
{
    write_annotation((struct annotation){ RST_KIND_UNLOCK, RST_FLAG_HAS_ADDRESS, address, 0, 0 },
                     "", source);
}

void meminithook(inst_address address, inst_address size, const char *source)
{
    write_annotation((struct annotation){ RST_KIND_INIT, RST_FLAG_HAS_ADDRESS, address, 0, size },
                     "", source);
}

void memfreehook(inst_address address, inst_address size, const char *source)
{
    write_annotation((struct annotation){ RST_KIND_FREE, RST_FLAG_HAS_ADDRESS, address, 0, size },
                     "", source);
}

void memsethook(inst_address address, inst_address size, uint32_t value, const char *source)
{
    struct annotation annotation = { RST_KIND_SET, RST_FLAG_HAS_ADDRESS | RST_FLAG_HAS_VALUE,
                                     address, value & 0xff, size };
    write_annotation(annotation, "", source);
}

void barrierhook(const char *kind, const char *source)
{
    write_annotation((struct annotation){ RST_KIND_BARRIER, 0, 0, 0, 0 }, kind, source);
}

void hinthook(const char *kind, inst_address address, uint64_t value, const char *source)
{
    struct annotation annotation = { RST_KIND_HINT, RST_FLAG_HAS_ADDRESS | RST_FLAG_HAS_VALUE,
                                     address, value, 0 };
    write_annotation(annotation, kind, source);
}

void tlbihook(const char *operation, int operands, uint64_t operand, const char *source)
{
    struct annotation annotation = { RST_KIND_TLBI, operands ? RST_FLAG_HAS_VALUE : 0, 0, operand,
                                     0 };
    write_annotation(annotation, operation, source);
}

void sysreghook(const char *name, uint64_t value, const char *source)
{
    write_annotation((struct annotation){ RST_KIND_SYSREG, RST_FLAG_HAS_VALUE, 0, value, 0 },
                     name, source);
}

/* Signals: the value is their number. */
void signalhook_special(int hook, int sic, int signal)
{
    (void)sic;
    uintptr_t place = rst_signal_place(hook);
    uint32_t flags = RST_FLAG_HAS_VALUE | (place ? RST_FLAG_HAS_ADDRESS : 0);
    write_annotation((struct annotation){ RST_KIND_OTHER, flags, place, signal, 0 },
                     inst_signal_word(hook), "");
}

void inst_signal_returned(int signal)
{
    write_annotation((struct annotation){ RST_KIND_OTHER, RST_FLAG_HAS_VALUE, 0, signal, 0 },
                     "back from signal", "");
}

void signalhook(int sic, int signal)
{
    signalhook_special(0, sic, signal);
}

/* Accesses of the kernel and of code without sites: ranges without values, and system calls. */

void systemhook(uint32_t id)
{
    write_annotation((struct annotation){ RST_KIND_TRAP, RST_FLAG_HAS_VALUE, 0, id, 0 }, "", 0);
}

/* The position before a range and the range itself. */
static __attribute__((noinline)) unsigned char *put_range(
    unsigned char *at, uint32_t kind, inst_address address, inst_address size)
{
    struct annotation annotation = { kind, RST_FLAG_HAS_ADDRESS, address, 0, size };
    return put_numbered(rst_position(at), &annotation, 0, 0);
}

static inline void range(uint32_t kind, inst_address address, inst_address size)
{
    INST_WRITE_EVENT(inst_wanted(address, size), at, put_range(at, kind, address, size));
}

void ldsyshook(inst_address address, inst_address size)
{
    range(RST_KIND_READ, address, size);
}

void stsyshook(inst_address address, inst_address size)
{
    range(RST_KIND_WRITE, address, size);
}
