/* Write events other than accesses: annotations, the order of threads, signals, system calls
   and the ranges that they and library functions touch. */
#include "sexp.h"

/* An event of our own with the place of what follows in the order of all threads; with an
   address, and the kind of order, if that is an access which orders threads. */
unsigned char *sexp_put_order(unsigned char *at, inst_address address, unsigned size,
                              const char *how)
{
    unsigned char *start = at;
    uint64_t order = inst_next_order();
    at = put_start(at, "event", inst_slow_id());
    at = put_text(at, " (what order)");
    if (*how) {
        at = (unsigned char *)inst_text((char *)at, (char *)at + 12, " (detail \"");
        at = (unsigned char *)inst_text((char *)at, (char *)at + 12, how);
        *at++ = '"';
        *at++ = ')';
    }
    if (address) {
        at = put_short_address(put_text(at, " (address "), address);
        at = put_decimal(put_text(at, ") (size "), size);
        *at++ = ')';
    }
    at = put_hexadecimal(put_text(at, " (value "), order >> 32, order);
    return put_ends(at, start);
}

/* Annotations: rare, so each takes the slow path. */

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

/* Begin an event that is ordered with other threads' events. */
static struct note begin_ordered_note(const char *kind)
{
    return begin_note_at(sexp_put_order(inst_place_slow(), 0, 0, ""), kind);
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

/* The end of a long source name identifies it better than its beginning. */
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

/* Any other barrier is an event of our own: readers accept no third word in that place. */
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
static void note_signal(const char *word, inst_address place, int signal)
{
    struct note note = begin_note("event");
    note.at = put_text(note.at, " (what other) (detail ");
    *note.at++ = '"';
    note.at = (unsigned char *)inst_text((char *)note.at, (char *)note.at + 40, word);
    *note.at++ = '"';
    *note.at++ = ')';
    if (place)
        add_number(&note, " (address ", place);
    add_number(&note, " (value ", signal);
    end_note(&note, "");
}

void signalhook_special(int hook, int sic, int signal)
{
    (void)sic;
    note_signal(inst_signal_word(hook), hook ? 0 : inst_signal_place(), signal);
}

void inst_signal_returned(int signal)
{
    note_signal("back from signal", 0, signal);
}

void signalhook(int sic, int signal)
{
    signalhook_special(0, sic, signal);
}

/* Accesses of the kernel and of code without sites: ranges without values, and system calls. */

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
