/* Write events other than accesses: annotations, the order of threads, signals, system calls
   and the ranges that they and library functions touch. */
#include "sexp.h"

/* Write an event of our own with a place in the order of all threads, which is the next event's; if that
   is an access which orders threads, with its address and the kind of order. */
unsigned char *sexp_put_order(unsigned char *at, uint64_t order, inst_address address, unsigned size,
                              const char *how)
{
    unsigned char *start = at;
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

unsigned char *sexp_put_access(unsigned char *at, int writes, inst_address address, unsigned size,
                               uint64_t value, inst_address pc)
{
    unsigned char *start = at;
    at = put_start(at, writes ? "mem-write" : "mem-read", inst_slow_id());
    if (writes)
        at = put_text(at, " (mem-order plain)");
    at = put_address(put_text(at, " (address "), address);
    at = put_hexadecimal(put_text(at, ") (value "), value >> 32, value);
    at = put_decimal(put_text(at, ") (size "), size);
    at = put_address(put_text(at, ") (src "), pc);
    return put_ends(at, start);
}

/* Annotations: rare, so each takes the slow path. */

struct annotation {
    unsigned char *start, *at;
};

static struct annotation begin_annotation_at(unsigned char *start, const char *kind)
{
    char *at = inst_text((char *)start + 1, (char *)start + 40, kind);
    unsigned char *end = put_text((unsigned char *)at, " (id ");
    end = put_text(put_decimal(end, inst_slow_id()), ") (tid ");
    end = put_decimal(end, inst_thread.mark & ~INST_EXCHANGE);
    *end++ = ')';
    return (struct annotation){ start, end };
}

static struct annotation begin_annotation(const char *kind)
{
    return begin_annotation_at(inst_place_slow(), kind);
}

/* Begin an event that is ordered with other threads' events. */
static struct annotation begin_ordered_annotation(const char *kind)
{
    unsigned char *at = inst_place_slow();
    return begin_annotation_at(sexp_put_order(at, inst_next_order(), 0, 0, ""), kind);
}

/* Add a word of the program's; what could end a field becomes `_`. */
static void add_word(struct annotation *annotation, const char *word)
{
    for (unsigned n = 0; n < 40 && *word && *word != ' '; n++, word++) {
        int plain = *word > ' ' && *word < 127 && *word != '(' && *word != ')' && *word != '"';
        *annotation->at++ = plain ? *word : '_';
    }
}

static void add_named_word(struct annotation *annotation, const char *name, const char *word)
{
    char *at = (char *)annotation->at;
    annotation->at = (unsigned char *)inst_text(at, at + 20, name);
    add_word(annotation, word);
    *annotation->at++ = ')';
}

static void add_number(struct annotation *annotation, const char *name, uint64_t number)
{
    char *at = (char *)annotation->at;
    annotation->at = (unsigned char *)inst_text(at, at + 20, name);
    annotation->at = put_hexadecimal(annotation->at, number >> 32, number);
    *annotation->at++ = ')';
}

/* The end of a long source name identifies it better than its beginning.  Return the annotation's
   end. */
static unsigned char *with_source(struct annotation *annotation, const char *source)
{
    enum { LONGEST = 90 };
    unsigned length = 0;
    while (source && source[length])
        length++;
    if (length > LONGEST)
        source += length - LONGEST;
    unsigned char *at = annotation->at;
    if (source) {
        at = put_text(at, " (src \"");
        for (; *source; source++) {
            if (*source == '"' || *source == '\\')
                *at++ = '\\';
            *at++ = *source;
        }
        at = put_text(at, "\")");
    }
    return put_end(at, annotation->start);
}

static void end_annotation(struct annotation *annotation, const char *source)
{
    inst_commit_slow(with_source(annotation, source));
}

unsigned char *sexp_put_gap(unsigned char *at, const char *word, const char *source, int64_t count)
{
    struct annotation annotation = begin_annotation_at(at, "event");
    annotation.at = put_text(annotation.at, " gap (detail \"");
    add_word(&annotation, word);
    annotation.at = put_text(annotation.at, "\")");
    if (count >= 0)
        add_number(&annotation, " (value ", count);
    return with_source(&annotation, source);
}

static void annotation_address(const char *kind, inst_address address, const char *source)
{
    struct annotation annotation = begin_ordered_annotation(kind);
    add_number(&annotation, " (address ", address);
    end_annotation(&annotation, source);
}

void lockhook(inst_address address, const char *source)
{
    annotation_address("lock", address, source);
}

void trylockhook(inst_address address, const char *source)
{
    annotation_address("trylock", address, source);
}

void unlockhook(inst_address address, const char *source)
{
    annotation_address("unlock", address, source);
}

static void annotation_region(const char *kind, inst_address address, inst_address size,
                        const char *source)
{
    struct annotation annotation = begin_annotation(kind);
    add_number(&annotation, " (address ", address);
    add_number(&annotation, " (size ", size);
    end_annotation(&annotation, source);
}

void meminithook(inst_address address, inst_address size, const char *source)
{
    annotation_region("mem-init", address, size, source);
}

void memfreehook(inst_address address, inst_address size, const char *source)
{
    annotation_region("mem-free", address, size, source);
}

void memsethook(inst_address address, inst_address size, uint32_t value, const char *source)
{
    struct annotation annotation = begin_annotation("mem-set");
    add_number(&annotation, " (address ", address);
    add_number(&annotation, " (size ", size);
    add_number(&annotation, " (value ", value & 0xff);
    end_annotation(&annotation, source);
}

/* Any other barrier is an event of our own: readers accept no third word in that place. */
static void other_barrier(const char *kind, const char *source)
{
    struct annotation annotation = begin_annotation("event");
    annotation.at = put_text(annotation.at, " (what barrier) (detail ");
    *annotation.at++ = '"';
    for (unsigned n = 0; n < 40 && kind[n]; n++)
        *annotation.at++ = kind[n] < ' ' || kind[n] == '"' || kind[n] == '\\' ? '_' : kind[n];
    annotation.at = put_text(annotation.at, "\")");
    end_annotation(&annotation, source);
}

void barrierhook(const char *kind, const char *source)
{
    int known = (kind[0] == 'd' || kind[0] == 'i') && kind[1] == 's' && kind[2] == 'b';
    if (!known || (kind[3] && kind[3] != ' ')) {
        other_barrier(kind, source);
        return;
    }
    struct annotation annotation = begin_annotation("barrier");
    *annotation.at++ = ' ';
    add_word(&annotation, kind);
    if (kind[3] && kind[4])
        add_named_word(&annotation, " (kind ", kind + 4);
    end_annotation(&annotation, source);
}

void hinthook(const char *kind, inst_address address, uint64_t value, const char *source)
{
    struct annotation annotation = begin_ordered_annotation("hint");
    add_named_word(&annotation, " (kind ", kind);
    add_number(&annotation, " (location ", address);
    add_number(&annotation, " (value ", value);
    end_annotation(&annotation, source);
}

void tlbihook(const char *operation, int operands, uint64_t operand, const char *source)
{
    struct annotation annotation = begin_annotation("tlbi");
    *annotation.at++ = ' ';
    add_word(&annotation, operation);
    if (operands)
        add_number(&annotation, " (value ", operand);
    end_annotation(&annotation, source);
}

void sysreghook(const char *name, uint64_t value, const char *source)
{
    struct annotation annotation = begin_annotation("sysreg-write");
    add_named_word(&annotation, " (sysreg ", name);
    add_number(&annotation, " (value ", value);
    end_annotation(&annotation, source);
}

/* Signals: the value is their number. */
static void annotation_signal(const char *word, inst_address place, int signal)
{
    struct annotation annotation = begin_annotation("event");
    annotation.at = put_text(annotation.at, " (what other) (detail ");
    *annotation.at++ = '"';
    annotation.at = (unsigned char *)inst_text((char *)annotation.at, (char *)annotation.at + 40, word);
    *annotation.at++ = '"';
    *annotation.at++ = ')';
    if (place)
        add_number(&annotation, " (address ", place);
    add_number(&annotation, " (value ", signal);
    end_annotation(&annotation, "");
}

void signalhook_special(int hook, int sic, int signal)
{
    (void)sic;
    annotation_signal(inst_signal_word(hook), hook ? 0 : inst_signal_place(), signal);
}

void inst_signal_returned(int signal)
{
    annotation_signal("back from signal", 0, signal);
}

void signalhook(int sic, int signal)
{
    signalhook_special(0, sic, signal);
}

/* Accesses of the kernel and of code without sites: ranges without values, and system calls. */

static void annotation_range(const char *what, inst_address address, inst_address size)
{
    if (!inst_wanted(address, size))
        return;
    struct annotation annotation = begin_annotation("event");
    add_named_word(&annotation, " (what ", what);
    add_number(&annotation, " (address ", address);
    add_number(&annotation, " (size ", size);
    end_annotation(&annotation, 0);
}

void systemhook(uint32_t id)
{
    struct annotation annotation = begin_annotation("event");
    add_named_word(&annotation, " (what ", "trap");
    add_number(&annotation, " (value ", id);
    end_annotation(&annotation, 0);
}

void ldsyshook(inst_address address, inst_address size)
{
    annotation_range("read", address, size);
}

void stsyshook(inst_address address, inst_address size)
{
    annotation_range("write", address, size);
}
