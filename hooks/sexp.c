/* Write a trace of s-expressions: mem-read and mem-write with address, value, size and place. */
#include <inst/runtime.h>
#include <order.h>

enum { STORES = 0x100, EVENT_ROOM = 400, EVENTS = 8192 };

#define ALWAYS static inline __attribute__((always_inline))

/* Texts are known when this is compiled: each character becomes one store. */
ALWAYS unsigned char *put_text(unsigned char *at, const char *text)
{
    unsigned length = __builtin_strlen(text);
#pragma GCC unroll 32
    for (unsigned n = 0; n < length; n++)
        at[n] = text[n];
    return at + length;
}

ALWAYS unsigned char *put_decimal(unsigned char *at, uint32_t number)
{
    unsigned char digits[10], *digit = digits;
    do {
        uint32_t rest = number / 10;
        *digit++ = '0' + (number - rest * 10);
        number = rest;
    } while (number);
    while (digit > digits)
        *at++ = *--digit;
    return at;
}

ALWAYS unsigned char hexadecimal_digit(uint32_t digit)
{
    return digit + (digit < 10 ? '0' : 'a' - 10);
}

/* All eight digits of a word. */
ALWAYS unsigned char *put_word(unsigned char *at, uint32_t number)
{
#pragma GCC unroll 8
    for (int n = 0; n < 8; n++)
        at[n] = hexadecimal_digit(number >> (28 - 4 * n) & 15);
    return at + 8;
}

static unsigned char *put_short_word(unsigned char *at, uint32_t number)
{
    int shift = 0;
    while (shift < 28 && number >> (shift + 4))
        shift += 4;
    for (; shift >= 0; shift -= 4)
        *at++ = hexadecimal_digit(number >> shift & 15);
    return at;
}

ALWAYS unsigned char *put_hexadecimal(unsigned char *at, uint32_t high, uint32_t low)
{
    at = put_text(at, "0x");
    return high ? put_word(put_short_word(at, high), low) : put_short_word(at, low);
}

/* All eight digits of an address, or more where it has them. */
ALWAYS unsigned char *put_address(unsigned char *at, inst_address address)
{
    uint32_t high = (uint64_t)address >> 32;
    at = put_text(at, "0x");
    if (inst_unlikely(high))
        at = put_short_word(at, high);
    return put_word(at, address);
}

ALWAYS unsigned char *put_short_address(unsigned char *at, inst_address address)
{
    return put_hexadecimal(at, (uint64_t)address >> 32, address);
}

/* What a site was found to be: its pc, and in its lowest bits ORDER_PLAIN or ORDER_RELEASE. */
enum { ORDER_PLAIN = 1, ORDER_RELEASE = 2, SITES = 1024 };
static inst_address site_orders[SITES];

/* Look at the code of a store met for the first time. */
__attribute__((used)) inst_address sexp_order_body(inst_address pc)
{
    inst_address order = inst_is_release((const uint32_t *)pc) ? ORDER_RELEASE : ORDER_PLAIN;
    return site_orders[pc / 4 % SITES] = pc | order;
}
inst_address sexp_order(inst_address pc);
INST_PRESERVING(sexp_order);

ALWAYS int is_release(inst_address pc)
{
    inst_address known = site_orders[pc / 4 % SITES];
    if (inst_unlikely((known & ~(inst_address)3) != pc))
        known = sexp_order(pc);
    return known & ORDER_RELEASE;
}

/* Begin a record behind its parenthesis, which comes last: a record is whole or is not there. */
ALWAYS unsigned char *put_start(unsigned char *at, const char *kind, uint32_t id)
{
    at = put_text(put_text(at + 1, kind), " (id ");
    at = put_text(put_decimal(at, id), ") (tid ");
    return put_text(put_decimal(at, inst_thread.mark & ~INST_EXCHANGE), ")");
}

/* End a record, at last by its first parenthesis. */
ALWAYS unsigned char *put_end(unsigned char *at, unsigned char *start)
{
    at = put_text(at, ")\n");
    inst_ordered();
    *start = '(';
    return at;
}

/* End its last field as well. */
ALWAYS unsigned char *put_ends(unsigned char *at, unsigned char *start)
{
    *at++ = ')';
    return put_end(at, start);
}

ALWAYS unsigned char *write_event(unsigned char *at, inst_address address, inst_address pc,
                                  uint32_t high, uint32_t low, uint32_t what, uint32_t id)
{
    unsigned char *start = at;
    uint32_t size = what & (STORES - 1);
    if (what & STORES) {
        at = put_start(at, "mem-write", id);
        if (inst_unlikely(is_release(pc)))
            at = put_text(at, " (mem-order release)");
        else
            at = put_text(at, " (mem-order plain)");
    } else {
        at = put_start(at, "mem-read", id);
    }
    at = put_address(put_text(at, " (address "), address);
    at = put_hexadecimal(put_text(at, ") (value "), high, low);
    if (size != 8) {
        at = put_text(at, ") (size ");
        *at++ = '0' + size;
    }
    at = put_address(put_text(at, ") (src "), pc);
    return put_ends(at, start);
}

/* The first event of a chunk, or one that interrupted another. */
__attribute__((used)) void sexp_slow_body(inst_address address, inst_address pc, uint32_t high,
                                          uint32_t low, uint32_t what)
{
    if (!inst_wanted(address, what & (STORES - 1)))
        return;
    unsigned char *at = inst_place_slow();
    inst_commit_slow(write_event(at, address, pc, high, low, what, inst_slow_id()));
}

/* A signal handler's events came in between: it stands, or has to be written once more. */
__attribute__((used)) void sexp_again_body(unsigned char *at, inst_address address,
                                           inst_address pc, uint32_t high, uint32_t low,
                                           uint32_t what)
{
    at = inst_again(at);
    inst_again_done(at ? write_event(at, address, pc, high, low, what, inst_slow_id()) : 0);
}

void sexp_slow(inst_address address, inst_address pc, uint32_t high, uint32_t low, uint32_t what);
INST_PRESERVING(sexp_slow);
void sexp_again(unsigned char *at, inst_address address, inst_address pc, uint32_t high,
                uint32_t low, uint32_t what);
INST_PRESERVING(sexp_again);

ALWAYS void event(inst_address address, inst_address pc, uint32_t high, uint32_t low,
                  uint32_t what)
{
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        sexp_slow(address, pc, high, low, what);
        return;
    }
    uint32_t id = inst_thread.next_id;
    unsigned char *end = write_event(at, address, pc, high, low, what, id);
    inst_thread.next_id = id + 1;
    if (inst_unlikely(inst_commit(end)))
        sexp_again(at, address, pc, high, low, what);
}

__attribute__((used)) void sexp_frame_body(inst_address start, inst_address size)
{
    if (!inst_wanted(start, size))
        return;
    unsigned char *first = inst_place_slow();
    unsigned char *at = put_start(first, "event", inst_slow_id());
    at = put_short_address(put_text(at, " (what frame) (address "), start);
    at = put_short_address(put_text(at, ") (value "), size);
    inst_commit_slow(put_ends(at, first));
}

void sexp_frame(inst_address start, inst_address size);
INST_PRESERVING(sexp_frame);

#define SMALL(NAME, WHAT)                                                   \
    void NAME(inst_address address, inst_address pc, uint32_t value)        \
    {                                                                       \
        event(address, pc, 0, value, WHAT);                                 \
    }
SMALL(ldbhook, 1)
SMALL(ldhhook, 2)
SMALL(ldwhook, 4)
SMALL(stbhook, 1 | STORES)
SMALL(sthhook, 2 | STORES)
SMALL(stwhook, 4 | STORES)

void lddhook(inst_address address, inst_address pc, uint64_t value)
{
    event(address, pc, value >> 32, value, 8);
}

void stdhook(inst_address address, inst_address pc, uint64_t value)
{
    event(address, pc, value >> 32, value, 8 | STORES);
}

/* A value has 64 bits at most: two records. */
void ldqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    event(address, pc, high >> 32, high, 8);
    event(address + 8, pc, low >> 32, low, 8);
}

void stqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    event(address, pc, high >> 32, high, 8 | STORES);
    event(address + 8, pc, low >> 32, low, 8 | STORES);
}

void llhook(inst_address address, inst_address pc, inst_address size)
{
    if (!inst_wanted(address, size))
        return;
    unsigned char *start = inst_place_slow();
    unsigned char *at = put_start(start, "mem-reserve", inst_slow_id());
    at = put_short_address(put_text(at, " (address "), address);
    at = put_decimal(put_text(at, ") (size "), size);
    at = put_short_address(put_text(at, ") (src "), pc);
    inst_commit_slow(put_ends(at, start));
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    if (!inst_wanted(address, size))
        return;
    unsigned char *start = inst_place_slow();
    unsigned char *at = put_start(start, "mem-set", inst_slow_id());
    at = put_short_address(put_text(at, " (address "), address);
    at = put_short_address(put_text(at, ") (size "), size);
    at = put_short_address(put_text(at, ") (value 0x0) (src "), pc);
    inst_commit_slow(put_ends(at, start));
}

#ifdef __sparc__
/* Stack memory that a function took, and that held nothing of its own yet: an event of our own. */
void savehook(inst_address stack, inst_address frame)
{
    inst_address size = frame - stack;
    if (size > INST_LEAST_FRAME)
        sexp_frame(stack + INST_FRAME_BIAS, size);
}
#endif

/* An event of our own that says where what follows stands among the events of all threads; with
   an address when that is an atomic access there. */
static unsigned char *put_order(unsigned char *at, inst_address address, unsigned size)
{
    unsigned char *start = at;
    uint64_t order = inst_next_order();
    at = put_start(at, "event", inst_slow_id());
    at = put_text(at, " (what order)");
    if (address) {
        at = put_short_address(put_text(at, " (address "), address);
        at = put_decimal(put_text(at, ") (size "), size);
        *at++ = ')';
    }
    at = put_hexadecimal(put_text(at, " (value "), order >> 32, order);
    return put_ends(at, start);
}

/* Annotations: rare, so each takes the slow way. */

struct note {
    unsigned char *start, *at;
};

static struct note begin_note_at(unsigned char *start, const char *kind)
{
    char *at = inst_text((char *)start + 1, (char *)start + 40, kind);
    unsigned char *end = put_text((unsigned char *)at, " (id ");
    end = put_text(put_decimal(end, inst_slow_id()), ") (tid ");
    end = put_decimal(end, inst_thread.mark & ~INST_EXCHANGE);
    *end++ = ')';
    return (struct note){ start, end };
}

static struct note begin_note(const char *kind)
{
    return begin_note_at(inst_place_slow(), kind);
}

/* Begin a note that other threads' notes come before or behind. */
static struct note begin_ordered_note(const char *kind)
{
    return begin_note_at(put_order(inst_place_slow(), 0, 0), kind);
}

/* Add a word of the program's; what could end a field becomes `_`. */
static void add_word(struct note *note, const char *word)
{
    for (unsigned n = 0; n < 40 && *word && *word != ' '; n++, word++) {
        int plain = *word > ' ' && *word < 127 && *word != '(' && *word != ')' && *word != '"';
        *note->at++ = plain ? *word : '_';
    }
}

static void add_named_word(struct note *note, const char *name, const char *word)
{
    note->at = (unsigned char *)inst_text((char *)note->at, (char *)note->at + 20, name);
    add_word(note, word);
    *note->at++ = ')';
}

static void add_number(struct note *note, const char *name, uint64_t number)
{
    note->at = (unsigned char *)inst_text((char *)note->at, (char *)note->at + 20, name);
    note->at = put_hexadecimal(note->at, number >> 32, number);
    *note->at++ = ')';
}

/* The end of a long source name says more than its beginning. */
static void end_note(struct note *note, const char *source)
{
    enum { LONGEST = 90 };
    unsigned length = 0;
    while (source && source[length])
        length++;
    if (length > LONGEST)
        source += length - LONGEST;
    unsigned char *at = note->at;
    if (source) {
        at = put_text(at, " (src \"");
        for (; *source; source++) {
            if (*source == '"' || *source == '\\')
                *at++ = '\\';
            *at++ = *source;
        }
        at = put_text(at, "\")");
    }
    inst_commit_slow(put_end(at, note->start));
}

static void note_address(const char *kind, inst_address address, const char *source)
{
    struct note note = begin_ordered_note(kind);
    add_number(&note, " (address ", address);
    end_note(&note, source);
}

void lockhook(inst_address address, const char *source)
{
    note_address("lock", address, source);
}

void trylockhook(inst_address address, const char *source)
{
    note_address("trylock", address, source);
}

void unlockhook(inst_address address, const char *source)
{
    note_address("unlock", address, source);
}

static void note_region(const char *kind, inst_address address, inst_address size,
                        const char *source)
{
    struct note note = begin_note(kind);
    add_number(&note, " (address ", address);
    add_number(&note, " (size ", size);
    end_note(&note, source);
}

void meminithook(inst_address address, inst_address size, const char *source)
{
    note_region("mem-init", address, size, source);
}

void memfreehook(inst_address address, inst_address size, const char *source)
{
    note_region("mem-free", address, size, source);
}

void memsethook(inst_address address, inst_address size, uint32_t value, const char *source)
{
    struct note note = begin_note("mem-set");
    add_number(&note, " (address ", address);
    add_number(&note, " (size ", size);
    add_number(&note, " (value ", value & 0xff);
    end_note(&note, source);
}

/* Any other barrier is an event of our own: readers know no third word in that place. */
static void other_barrier(const char *kind, const char *source)
{
    struct note note = begin_note("event");
    note.at = put_text(note.at, " (what barrier) (detail ");
    *note.at++ = '"';
    for (unsigned n = 0; n < 40 && kind[n]; n++)
        *note.at++ = kind[n] < ' ' || kind[n] == '"' || kind[n] == '\\' ? '_' : kind[n];
    note.at = put_text(note.at, "\")");
    end_note(&note, source);
}

void barrierhook(const char *kind, const char *source)
{
    int known = (kind[0] == 'd' || kind[0] == 'i') && kind[1] == 's' && kind[2] == 'b';
    if (!known || (kind[3] && kind[3] != ' ')) {
        other_barrier(kind, source);
        return;
    }
    struct note note = begin_note("barrier");
    *note.at++ = ' ';
    add_word(&note, kind);
    if (kind[3] && kind[4])
        add_named_word(&note, " (kind ", kind + 4);
    end_note(&note, source);
}

void hinthook(const char *kind, inst_address address, uint64_t value, const char *source)
{
    struct note note = begin_ordered_note("hint");
    add_named_word(&note, " (kind ", kind);
    add_number(&note, " (location ", address);
    add_number(&note, " (value ", value);
    end_note(&note, source);
}

void tlbihook(const char *operation, int operands, uint64_t operand, const char *source)
{
    struct note note = begin_note("tlbi");
    *note.at++ = ' ';
    add_word(&note, operation);
    if (operands)
        add_number(&note, " (value ", operand);
    end_note(&note, source);
}

void sysreghook(const char *name, uint64_t value, const char *source)
{
    struct note note = begin_note("sysreg-write");
    add_named_word(&note, " (sysreg ", name);
    add_number(&note, " (value ", value);
    end_note(&note, source);
}

/* Signals: the value is their number. */
void signalhook_special(int hook, int sic, int signal)
{
    (void)sic;
    struct note note = begin_note("event");
    note.at = put_text(note.at, " (what other) (detail ");
    *note.at++ = '"';
    note.at = (unsigned char *)inst_text((char *)note.at, (char *)note.at + 40,
                                         inst_signal_word(hook));
    *note.at++ = '"';
    *note.at++ = ')';
    add_number(&note, " (value ", signal);
    end_note(&note, "");
}

void signalhook(int sic, int signal)
{
    signalhook_special(0, sic, signal);
}

/* What the kernel and code without sites do: ranges without values, and system calls. */

static void note_range(const char *what, inst_address address, inst_address size)
{
    if (!inst_wanted(address, size))
        return;
    struct note note = begin_note("event");
    add_named_word(&note, " (what ", what);
    add_number(&note, " (address ", address);
    add_number(&note, " (size ", size);
    end_note(&note, 0);
}

void systemhook(uint32_t id)
{
    struct note note = begin_note("event");
    add_named_word(&note, " (what ", "trap");
    add_number(&note, " (value ", id);
    end_note(&note, 0);
}

void ldsyshook(inst_address address, inst_address size)
{
    note_range("read", address, size);
}

void stsyshook(inst_address address, inst_address size)
{
    note_range("write", address, size);
}

/* Blanks, and the end of the line at the end. */
static void fill(unsigned char *from, unsigned char *to)
{
    while (from + 1 < to)
        *from++ = ' ';
    if (from < to)
        *from = '\n';
}

/* A new line: what stood before it on the old one is behind zeros, and passed over. */
static unsigned char *resume(unsigned char *at)
{
    at[-1] = '\n';
    return at;
}

static unsigned char *put_quoted(unsigned char *at, const char *text)
{
    *at++ = '"';
    for (unsigned n = 0; n < 1000 && text[n]; n++) {
        if (text[n] == '"' || text[n] == '\\')
            *at++ = '\\';
        *at++ = text[n];
    }
    *at++ = '"';
    return at;
}

static unsigned char *begin(unsigned char *at)
{
    struct inst_string strings[INST_STRINGS];
    char room[2048];
    int count = inst_describe(strings, room, sizeof room);
    inst_thread.mark = inst_thread.block->number;
    for (int n = 0; n < count - 1; n++) {
        unsigned char *start = at;
        at = put_start(at, "producer", inst_thread.next_id++);
        at = put_quoted(put_text(at, " (name "), strings[n].name);
        at = put_quoted(put_text(at, ") (value "), strings[n].value);
        at = put_ends(at, start);
    }
    unsigned char *start = at;
    at = put_start(at, "image", inst_thread.next_id++);
    at = put_short_address(put_text(at, " (base "), inst_image_base());
    at = put_quoted(put_text(at, ") (path "), strings[count - 1].value);
    return put_ends(at, start);
}

static unsigned char *begin_chunk(unsigned char *at, int first)
{
    (void)first;
    struct inst_block *block = inst_thread.block;
    inst_thread.mark = block->number | (inst_thread.mark & INST_EXCHANGE);
    block->chunk_end[-1] = '\n';    /* what is behind it begins on a line of its own */
    return put_order(at, 0, 0);
}

static unsigned char *end(unsigned char *at)
{
    return at;
}

const struct inst_format inst_format = {
    .extension = "sexp",
    .reserve = EVENT_ROOM,
    .unit = 1,
    .ids = EVENTS,
    .fill = fill,
    .resume = resume,
    .begin = begin,
    .begin_chunk = begin_chunk,
    .order = put_order,
    .end = end,
};
