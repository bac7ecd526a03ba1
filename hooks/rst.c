/* Write an RST trace: an INSTR record for each access, and a MEMVAL64 record with its value. */
#include <inst/runtime.h>

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

/* Write an event; its very first word comes last, so that a record is whole or is not there. */
static inline __attribute__((always_inline)) unsigned char *write_event(
    unsigned char *at, inst_address address, inst_address pc, uint32_t high, uint32_t low,
    uint32_t size, int valued)
{
    put(at, 1, *(const uint32_t *)pc);
    put(at, 2, 0);
    put(at, 3, pc);
    put(at, 4, 0);
    put(at, 5, address);
    if (valued) {
        unsigned char *value = at + RECORD;
        put(value, 0, inst_thread.second_mark | size);
        put(value, 1, 0);
        put(value, 2, 0);
        put(value, 3, address);
        put(value, 4, high);
        put(value, 5, low);
    }
    inst_ordered();
    put(at, 0, inst_thread.mark);
    return at + (valued ? 2 : 1) * RECORD;
}

/* The whole event without haste: the first of a chunk, or one that interrupted another. */
__attribute__((used)) void rst_slow_body(inst_address address, inst_address pc, uint32_t high,
                                         uint32_t low, uint32_t size)
{
    unsigned char *at = inst_place_slow();
    inst_commit_slow(write_event(at, address, pc, high, low, size & 15, size != 0));
}

/* Once more: a signal handler's events came in between. */
__attribute__((used)) void rst_again_body(unsigned char *at, inst_address address,
                                          inst_address pc, uint32_t high, uint32_t low,
                                          uint32_t size)
{
    inst_again();
    inst_again_done(at, write_event(at, address, pc, high, low, size, 1));
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

/* One access, one INSTR, two halves of its value. */
static void wide(inst_address address, inst_address pc, uint64_t first, uint64_t second)
{
    unsigned char *start = inst_place_slow();
    unsigned char *at = write_event(start, address, pc, first >> 32, first, 8, 1);
    unsigned char *half = at;
    put(half, 0, inst_thread.second_mark | 8);
    put(half, 1, 0);
    put(half, 2, 0);
    put(half, 3, address + 8);
    put(half, 4, second >> 32);
    put(half, 5, second);
    inst_commit_slow(half + RECORD);
}

void ldqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    wide(address, pc, high, low);
}

void stqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    wide(address, pc, high, low);
}

/* No value: size 0 tells the slow path to leave MEMVAL64 out. */
void llhook(inst_address address, inst_address pc)
{
    rst_slow(address, pc, 0, 0, 0);
}

void stblockhook(inst_address address, inst_address pc)
{
    rst_slow(address, pc, 0, 0, 0);
}

/* The records around the events. */

static unsigned char *record(unsigned char *at, unsigned type)
{
    for (unsigned word = 1; word < RECORD / 4; word++)
        put(at, word, 0);
    put(at, 0, type << 24);
    return at + RECORD;
}

static void fill(unsigned char *from, unsigned char *to)
{
    enum { NULLREC = 20 };
    while (to - from >= RECORD)
        from = record(from, NULLREC);
}

static unsigned char *put_string(unsigned char *at, const char *name, const char *value)
{
    enum { END = 14, MORE = 21, LENGTH = RECORD - 1 };
    char text[1024];
    char *end = inst_text(text, text + sizeof text - 1, name);
    end = inst_text(inst_text(end, text + sizeof text - 1, "="), text + sizeof text - 1, value);
    const char *from = text;
    for (;;) {
        unsigned char *start = at;
        int last = end - from < LENGTH;
        at = record(at, last ? END : MORE);
        for (unsigned n = 0; n < LENGTH && from < end; n++)
            start[1 + n] = *from++;
        if (last)
            return at;
    }
}

static unsigned char *begin(unsigned char *at)
{
    enum { HEADER = 2, TRACEINFO = 4, LEVEL = 2 };
    struct inst_string strings[INST_STRINGS];
    char room[2048], base[1024], *end = base + sizeof base - 1;
    unsigned char *start = at;
    at = record(at, HEADER);
    start[1] = 2;
    start[2] = 13;
    start[3] = '%';
    inst_text((char *)start + 4, (char *)at, "RST Header v2.13");
    put(at, 0, 0);
    unsigned char *information = at;
    at = record(at, TRACEINFO);
    information[1] = LEVEL;
    put(information, 3, inst_time());
    int count = inst_describe(strings, room, sizeof room);
    for (int n = 0; n < count - 1; n++)
        at = put_string(at, strings[n].name, strings[n].value);
    char *last = inst_text(base, end - 40, strings[count - 1].value);
    last = inst_hexadecimal(inst_text(last, end, " base=0x"), end, inst_image_base());
    *last = 0;
    return put_string(at, "image", base);
}

static unsigned char *begin_chunk(unsigned char *at, int first)
{
    enum { CPU = 11, THREAD = 6, PREG = 17, PAVADIFF = 19 };
    struct inst_thread *thread = &inst_thread;
    uint32_t number = thread->block->number - 1;
    unsigned char *start = at;
    thread->mark = instr_word(number) | (thread->mark & INST_EXCHANGE);
    thread->second_mark = memval_word(number);
    at = record(at, CPU);
    put(start, 1, number & 1023);
    start = at;
    at = record(at, THREAD);
    put(start, 3, thread->block->tid);
    if (!first)
        return at;
    start = at;
    at = record(at, PREG);
    put(start, 2, (number & 255) << 24 | (number >> 8 & 3) << 22);
    start = at;
    at = record(at, PAVADIFF);
    put(start, 0, (uint32_t)PAVADIFF << 24 | 1u << 23 | (number & 127) << 16
                      | (number >> 7 & 7) << 13);
    return at;
}

static unsigned char *end(unsigned char *at)
{
    enum { STATUS = 23, END_OF_FILE = 2 };
    unsigned char *start = at;
    at = record(at, STATUS);
    start[1] = END_OF_FILE;
    return at;
}

const struct inst_format inst_format = {
    .extension = "rst",
    .reserve = 3 * RECORD,
    .unit = RECORD,
    .ids = 0,
    .fill = fill,
    .begin = begin,
    .begin_chunk = begin_chunk,
    .end = end,
};
