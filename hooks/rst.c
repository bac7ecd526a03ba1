/* Write an RST trace: an INSTR record for each access, and a MEMVAL64 record with its value. */
#include <inst/runtime.h>
#include <syscall.h>

enum { RECORD = 24, INSTR = 3, MEMVAL = 26, INSTR_EA_VALID = 0x40, ADDRESS_IS_VIRTUAL = 0x40 };

/* Records are written as words in the order of RST, big-endian, whatever the processor's. */
static inline uint32_t big(uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return word;
#else
    return __builtin_bswap32(word);
#endif
}

static inline void put(unsigned char *record, unsigned word, uint32_t value)
{
    ((volatile uint32_t *)record)[word] = big(value);
}

/* Addresses take two words, of which the first is 0 on a 32-bit machine. */
static inline void put_address(unsigned char *record, unsigned word, inst_address address)
{
    put(record, word, (uint64_t)address >> 32);
    put(record, word + 1, address);
}

/* The first words of an INSTR and (but for its size) of a MEMVAL64 record of a thread. */
static inline uint32_t instr_word(uint32_t thread)
{
    return (uint32_t)INSTR << 24 | INSTR_EA_VALID << 16 | (thread & 63) << 10
           | (thread >> 6 & 15) << 6;
}

static inline uint32_t memval_word(uint32_t thread)
{
    return (uint32_t)MEMVAL << 24 | ADDRESS_IS_VIRTUAL << 16 | (thread >> 8 & 3) << 16
           | (thread & 255) << 8;
}

static inline __attribute__((always_inline)) void put_value(
    unsigned char *at, inst_address address, uint32_t high, uint32_t low, uint32_t size)
{
    put(at, 1, 0);
    put_address(at, 2, address);
    put(at, 4, high);
    put(at, 5, low);
    inst_ordered();
    put(at, 0, inst_thread.second_mark | size);
}

/* Write an event; its very first word comes last, so that a record is whole or is not there. */
static inline __attribute__((always_inline)) unsigned char *write_event(
    unsigned char *at, inst_address address, inst_address pc, uint32_t high, uint32_t low,
    uint32_t size, int valued)
{
    put(at, 1, *(const uint32_t *)pc);
    put_address(at, 2, pc);
    put_address(at, 4, address);
    if (valued)
        put_value(at + RECORD, address, high, low, size);
    inst_ordered();
    put(at, 0, inst_thread.mark);
    return at + (valued ? 2 : 1) * RECORD;
}

/* The whole event without haste: the first of a chunk, or one that interrupted another. */
__attribute__((used)) void rst_slow_body(inst_address address, inst_address pc, uint32_t high,
                                         uint32_t low, uint32_t size)
{
    if (!inst_wanted(address, size))
        return;
    unsigned char *at = inst_place_slow();
    inst_commit_slow(write_event(at, address, pc, high, low, size, 1));
}

/* A signal handler's events came in between: it stands, or has to be written once more. */
__attribute__((used)) void rst_again_body(unsigned char *at, inst_address address,
                                          inst_address pc, uint32_t high, uint32_t low,
                                          uint32_t size)
{
    at = inst_again(at);
    inst_again_done(at ? write_event(at, address, pc, high, low, size, 1) : 0);
}

void rst_slow(inst_address address, inst_address pc, uint32_t high, uint32_t low, uint32_t size);
INST_PRESERVING(rst_slow);
void rst_again(unsigned char *at, inst_address address, inst_address pc, uint32_t high,
               uint32_t low, uint32_t size);
INST_PRESERVING(rst_again);

static inline __attribute__((always_inline)) void event(
    inst_address address, inst_address pc, uint32_t high, uint32_t low, uint32_t size)
{
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        rst_slow(address, pc, high, low, size);
        return;
    }
    unsigned char *end = write_event(at, address, pc, high, low, size, 1);
    if (inst_unlikely(inst_commit(end)))
        rst_again(at, address, pc, high, low, size);
}

#define SMALL(NAME, SIZE)                                                   \
    void NAME(inst_address address, inst_address pc, uint32_t value)        \
    {                                                                       \
        event(address, pc, 0, value, SIZE);                                 \
    }
SMALL(ldbhook, 1)
SMALL(ldhhook, 2)
SMALL(ldwhook, 4)
SMALL(stbhook, 1)
SMALL(sthhook, 2)
SMALL(stwhook, 4)

void lddhook(inst_address address, inst_address pc, uint64_t value)
{
    event(address, pc, value >> 32, value, 8);
}

void stdhook(inst_address address, inst_address pc, uint64_t value)
{
    event(address, pc, value >> 32, value, 8);
}

/* One access, one INSTR, two halves of its value; the INSTR comes last, so that there is all or
   nothing. */
static void wide(inst_address address, inst_address pc, uint64_t first, uint64_t second)
{
    if (!inst_wanted(address, 16))
        return;
    unsigned char *start = inst_place_slow();
    put_value(start + 2 * RECORD, address + 8, second >> 32, second, 8);
    inst_ordered();
    write_event(start, address, pc, first >> 32, first, 8, 1);
    inst_commit_slow(start + 3 * RECORD);
}

void ldqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    wide(address, pc, high, low);
}

void stqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    wide(address, pc, high, low);
}

/* An access whose value is not known: no MEMVAL64. */
static void unvalued(inst_address address, inst_address pc, inst_address size)
{
    if (!inst_wanted(address, size))
        return;
    unsigned char *at = inst_place_slow();
    inst_commit_slow(write_event(at, address, pc, 0, 0, 0, 0));
}

void llhook(inst_address address, inst_address pc, inst_address size)
{
    unvalued(address, pc, size);
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    unvalued(address, pc, size);
}

/* An EVENT of its own: stack memory that a function took, and that held nothing of its own yet. */
enum { EVENT = 40, FRAME = 20, HAS_ADDRESS = 2, HAS_VALUE = 4 };

static uint32_t own_cpu(void)
{
    return (inst_thread.mark >> 10 & 63) | (inst_thread.mark >> 6 & 15) << 6;
}

#ifdef __sparc__
static inline __attribute__((always_inline)) unsigned char *write_frame(
    unsigned char *at, inst_address start, inst_address size)
{
    put(at, 1, own_cpu());
    put_address(at, 2, start);
    put_address(at, 4, size);
    inst_ordered();
    put(at, 0, (uint32_t)EVENT << 24 | FRAME << 16 | HAS_ADDRESS | HAS_VALUE);
    return at + RECORD;
}

__attribute__((used)) void rst_slow_frame_body(inst_address start, inst_address size)
{
    if (inst_wanted(start, size))
        inst_commit_slow(write_frame(inst_place_slow(), start, size));
}

__attribute__((used)) void rst_frame_again_body(unsigned char *at, inst_address start,
                                                inst_address size)
{
    at = inst_again(at);
    inst_again_done(at ? write_frame(at, start, size) : 0);
}

void rst_slow_frame(inst_address start, inst_address size);
INST_PRESERVING(rst_slow_frame);
void rst_frame_again(unsigned char *at, inst_address start, inst_address size);
INST_PRESERVING(rst_frame_again);

/* PowerPC's functions store their frame's chain, and traces show it. */
void savehook(inst_address stack, inst_address frame)
{
    inst_address size = frame - stack;
    if (size <= INST_LEAST_FRAME)
        return;
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        rst_slow_frame(stack + INST_FRAME_BIAS, size);
        return;
    }
    unsigned char *end = write_frame(at, stack + INST_FRAME_BIAS, size);
    if (inst_unlikely(inst_commit(end)))
        rst_frame_again(at, stack + INST_FRAME_BIAS, size);
}
#endif

/* Annotations: EVENT and EVENT_SIZE, and before them the EVENT_TEXTs that spell the numbers of
   word and source.  They are spelled each time: the chunks of other threads may come first. */
enum { EVENT_SIZE = 42, EVENT_TEXT = 43, LAST = 0x80, IS_SITE = 0x40, PIECE = 16 };
enum { WORD_PIECES = 2, SITE_PIECES = 6, NOTE_RECORDS = 1 + WORD_PIECES + SITE_PIECES + 2 };
enum { OTHER, READ, WRITE, CALL = 4, INIT, FREE, SET, BARRIER, TLBI, SYSREG, HINT, LOCK, TRYLOCK,
       UNLOCK };
enum { ORDER = 19 };

struct note {
    uint32_t kind, flags;
    uint64_t address, value, size;
};

/* Return a number for a word; 0 when there are too many of them. */
static uint32_t number_of(const char *word)
{
    enum { WORDS = 256 };
    static const char *words[WORDS];
    static volatile uint32_t busy;
    uint32_t found = 0;
    if (!*word)
        return 0;
    inst_lock((volatile unsigned char *)&busy);
    for (uint32_t n = 0; n < WORDS && !found; n++) {
        if (!words[n])
            words[n] = word;
        const char *a = words[n], *b = word;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            found = n + 1;
    }
    inst_unlock((volatile unsigned char *)&busy);
    return found;
}

/* Spell a text, or the end of a long one, which says more of a source than its start. */
static unsigned char *spell(unsigned char *at, const char *text, uint32_t number, uint32_t flags,
                            unsigned pieces)
{
    unsigned length = 0;
    while (text[length])
        length++;
    if (length > pieces * PIECE)
        text += length - pieces * PIECE;
    do {
        put(at, 1, number);
        for (unsigned n = 0; n < PIECE; n++)
            at[8 + n] = *text ? *text++ : 0;
        inst_ordered();
        put(at, 0, (uint32_t)EVENT_TEXT << 24 | (flags | (*text ? 0 : LAST)) << 16);
        at += RECORD;
    } while (*text);
    return at;
}

/* An EVENT of its own that says where what follows stands among the events of all threads; with
   an address when that is an atomic access there. */
static unsigned char *put_order(unsigned char *at, inst_address address, unsigned size)
{
    (void)size;
    uint64_t order = inst_next_order();
    put(at, 1, own_cpu());
    put_address(at, 2, address);
    put(at, 4, order >> 32);
    put(at, 5, order);
    inst_ordered();
    put(at, 0, (uint32_t)EVENT << 24 | ORDER << 16 | HAS_VALUE | (address ? HAS_ADDRESS : 0));
    return at + RECORD;
}

/* Return a number for a source: its own address, and the place in the code where it tells one,
   for such a text stands wherever its writer had room. */
static uint32_t number_of_source(const char *source)
{
    uint32_t place = 0;
    if (source[0] != '0' || source[1] != 'x')
        return (uintptr_t)source;
    for (source += 2; *source; source++)
        place = place << 4 | ((*source & 15) + (*source > '9' ? 9 : 0));
    return place;
}

static void write_note(struct note note, const char *word, const char *source)
{
    uint32_t detail = number_of(word), site = source ? number_of_source(source) : 0;
    unsigned char *at = inst_place_slow();
    if (note.kind >= HINT)
        at = put_order(at, 0, 0);
    if (detail)
        at = spell(at, word, detail, 0, WORD_PIECES);
    if (site)
        at = spell(at, source, site, IS_SITE, SITE_PIECES);
    put(at, 1, detail << 16 | own_cpu());
    put(at, 2, note.address >> 32);
    put(at, 3, note.address);
    put(at, 4, note.value >> 32);
    put(at, 5, note.value);
    put(at + RECORD, 1, site);
    put(at + RECORD, 2, note.size >> 32);
    put(at + RECORD, 3, note.size);
    put(at + RECORD, 4, 0);
    put(at + RECORD, 5, 0);
    put(at + RECORD, 0, (uint32_t)EVENT_SIZE << 24);
    inst_ordered();
    put(at, 0, (uint32_t)EVENT << 24 | note.kind << 16 | note.flags);
    inst_commit_slow(at + 2 * RECORD);
}

void lockhook(inst_address address, const char *source)
{
    write_note((struct note){ LOCK, HAS_ADDRESS, address, 0, 0 }, "", source);
}

void trylockhook(inst_address address, const char *source)
{
    write_note((struct note){ TRYLOCK, HAS_ADDRESS, address, 0, 0 }, "", source);
}

void unlockhook(inst_address address, const char *source)
{
    write_note((struct note){ UNLOCK, HAS_ADDRESS, address, 0, 0 }, "", source);
}

void meminithook(inst_address address, inst_address size, const char *source)
{
    write_note((struct note){ INIT, HAS_ADDRESS, address, 0, size }, "", source);
}

void memfreehook(inst_address address, inst_address size, const char *source)
{
    write_note((struct note){ FREE, HAS_ADDRESS, address, 0, size }, "", source);
}

void memsethook(inst_address address, inst_address size, uint32_t value, const char *source)
{
    struct note note = { SET, HAS_ADDRESS | HAS_VALUE, address, value & 0xff, size };
    write_note(note, "", source);
}

void barrierhook(const char *kind, const char *source)
{
    write_note((struct note){ BARRIER, 0, 0, 0, 0 }, kind, source);
}

void hinthook(const char *kind, inst_address address, uint64_t value, const char *source)
{
    write_note((struct note){ HINT, HAS_ADDRESS | HAS_VALUE, address, value, 0 }, kind, source);
}

void tlbihook(const char *operation, int operands, uint64_t operand, const char *source)
{
    struct note note = { TLBI, operands ? HAS_VALUE : 0, 0, operand, 0 };
    write_note(note, operation, source);
}

void sysreghook(const char *name, uint64_t value, const char *source)
{
    write_note((struct note){ SYSREG, HAS_VALUE, 0, value, 0 }, name, source);
}

/* Signals: the value is their number. */
void signalhook_special(int hook, int sic, int signal)
{
    (void)sic;
    write_note((struct note){ OTHER, HAS_VALUE, 0, signal, 0 }, inst_signal_word(hook), "");
}

void signalhook(int sic, int signal)
{
    signalhook_special(0, sic, signal);
}

/* What the kernel and code without sites do: ranges without values, and system calls. */

void systemhook(uint32_t id)
{
    write_note((struct note){ CALL, HAS_VALUE, 0, id, 0 }, "", 0);
}

void ldsyshook(inst_address address, inst_address size)
{
    if (inst_wanted(address, size))
        write_note((struct note){ READ, HAS_ADDRESS, address, 0, size }, "", 0);
}

void stsyshook(inst_address address, inst_address size)
{
    if (inst_wanted(address, size))
        write_note((struct note){ WRITE, HAS_ADDRESS, address, 0, size }, "", 0);
}

/* The records around the events. */

/* A record is put together beside the trace, and its first word, where its type is, is stored
   last. */
struct record {
    unsigned char bytes[RECORD] __attribute__((aligned(8)));
};

static struct record record_of(unsigned type)
{
    struct record record = { { type } };
    return record;
}

static unsigned char *put_record(unsigned char *at, const struct record *record)
{
    for (int word = RECORD / 4 - 1; word >= 0; word--) {
        inst_ordered();
        ((volatile uint32_t *)at)[word] = ((const uint32_t *)record->bytes)[word];
    }
    return at + RECORD;
}

static void fill(unsigned char *from, unsigned char *to)
{
    enum { NULLREC = 20 };
    const struct record record = record_of(NULLREC);
    while (to - from >= RECORD)
        from = put_record(from, &record);
}

static unsigned char *put_string(unsigned char *at, const char *name, const char *value)
{
    enum { END = 14, MORE = 21, LENGTH = RECORD - 1 };
    char text[1024];
    char *end = inst_text(text, text + sizeof text - 1, name);
    end = inst_text(inst_text(end, text + sizeof text - 1, "="), text + sizeof text - 1, value);
    const char *from = text;
    for (;;) {
        int last = end - from < LENGTH;
        struct record record = record_of(last ? END : MORE);
        for (unsigned n = 0; n < LENGTH && from < end; n++)
            record.bytes[1 + n] = *from++;
        at = put_record(at, &record);
        if (last)
            return at;
    }
}

static unsigned char *put_header(unsigned char *at)
{
    enum { HEADER = 2, TRACEINFO = 4, LEVEL = 2 };
    struct record header = record_of(HEADER), information = record_of(TRACEINFO);
    char *text = (char *)header.bytes;
    text[1] = 2;
    text[2] = 13;
    text[3] = '%';
    inst_text(text + 4, text + RECORD, "RST Header v2.13");
    information.bytes[1] = LEVEL;
    put(information.bytes, 3, inst_time());
    return put_record(put_record(at, &header), &information);
}

static unsigned char *begin(unsigned char *at)
{
    struct inst_string strings[INST_STRINGS];
    char room[2048], base[1024], *end = base + sizeof base - 1;
    at = put_header(at);
    int count = inst_describe(strings, room, sizeof room);
    for (int n = 0; n < count - 1; n++)
        at = put_string(at, strings[n].name, strings[n].value);
    char *last = inst_text(base, end - 40, strings[count - 1].value);
    last = inst_hexadecimal(inst_text(last, end, " base=0x"), end, inst_image_base());
    *last = 0;
    return put_string(at, "image", base);
}

/* Say whose events follow. */
static unsigned char *put_cpu(unsigned char *at)
{
    enum { CPU = 11 };
    struct record cpu = record_of(CPU);
    put(cpu.bytes, 1, (inst_thread.block->number - 1) & 1023);
    return put_record(at, &cpu);
}

/* Once for each thread: its registers' and its addresses' kind. */
static unsigned char *put_kind_of_thread(unsigned char *at, uint32_t number)
{
    enum { PREG = 17, PAVADIFF = 19 };
    struct record registers = record_of(PREG), addresses = record_of(PAVADIFF);
    put(registers.bytes, 2, (number & 255) << 24 | (number >> 8 & 3) << 22);
    put(addresses.bytes, 0, (uint32_t)PAVADIFF << 24 | 1u << 23 | (number & 127) << 16
                                | (number >> 7 & 7) << 13);
    return put_record(put_record(at, &registers), &addresses);
}

static unsigned char *begin_chunk(unsigned char *at, int first)
{
    enum { THREAD = 6 };
    struct inst_thread *thread = &inst_thread;
    struct record kernels = record_of(THREAD);
    uint32_t number = thread->block->number - 1;
    thread->mark = instr_word(number) | (thread->mark & INST_EXCHANGE);
    thread->second_mark = memval_word(number);
    put(kernels.bytes, 3, thread->block->tid);
    at = put_order(put_record(put_cpu(at), &kernels), 0, 0);
    return first ? put_kind_of_thread(at, number) : at;
}

static unsigned char *end(unsigned char *at)
{
    enum { STATUS = 23, END_OF_FILE = 2 };
    struct record status = record_of(STATUS);
    status.bytes[1] = END_OF_FILE;
    return put_record(at, &status);
}

const struct inst_format inst_format = {
    .extension = "rst",
    .reserve = NOTE_RECORDS * RECORD,
    .unit = RECORD,
    .ids = 0,
    .fill = fill,
    .resume = put_cpu,
    .begin = begin,
    .begin_chunk = begin_chunk,
    .order = put_order,
    .end = end,
};
