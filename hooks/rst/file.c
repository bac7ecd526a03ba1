/* The records around the events: what a file, and each chunk of a thread, begins and ends with. */
#include "rst.h"

/* The first words of an INSTR and (but for its size) of a MEMVAL64 record of a thread. */
static inline uint32_t instr_word(uint32_t thread)
{
    return (uint32_t)RST_INSTR << 24 | RST_INSTR_EA_VALID << 16 | (thread & 63) << 10
           | (thread >> 6 & 15) << 6;
}

static inline uint32_t memval_word(uint32_t thread)
{
    return (uint32_t)RST_MEMVAL64 << 24 | RST_MEMVAL64_ADDRISVA << 16 | (thread >> 8 & 3) << 16
           | (thread & 255) << 8;
}

/* A record is assembled outside the trace, and its first word, which has its type, is stored
   last. */
struct record {
    unsigned char bytes[RST_SIZE] __attribute__((aligned(8)));
};

static struct record record_of(unsigned type)
{
    struct record record = { { type } };
    return record;
}

static unsigned char *put_record(unsigned char *at, const struct record *record)
{
    for (int word = RST_SIZE / 4 - 1; word >= 0; word--) {
        inst_ordered();
        ((volatile uint32_t *)at)[word] = ((const uint32_t *)record->bytes)[word];
    }
    return at + RST_SIZE;
}

static void fill(unsigned char *from, unsigned char *to)
{
    const struct record record = record_of(RST_NULLREC);
    while (to - from >= RST_SIZE)
        from = put_record(from, &record);
}

static unsigned char *put_string(unsigned char *at, const char *name, const char *value)
{
    enum { LENGTH = RST_SIZE - 1 };
    char text[1024];
    char *end = inst_text(text, text + sizeof text - 1, name);
    end = inst_text(inst_text(end, text + sizeof text - 1, "="), text + sizeof text - 1, value);
    const char *from = text;
    for (;;) {
        int last = end - from < LENGTH;
        struct record record = record_of(last ? RST_STRDESC : RST_STRCONT);
        for (unsigned n = 0; n < LENGTH && from < end; n++)
            record.bytes[1 + n] = *from++;
        at = put_record(at, &record);
        if (last)
            return at;
    }
}

static unsigned char *put_header(unsigned char *at)
{
    struct record header = record_of(RST_HEADER), information = record_of(RST_TRACEINFO);
    char *text = (char *)header.bytes;
    text[1] = RST_CURRENT / 1000;
    text[2] = RST_CURRENT % 1000;
    text[3] = '%';
    inst_text(text + 4, text + RST_SIZE, RST_HEADER_TEXT);
    information.bytes[1] = RST_TRACEINFO_LEVEL;
    put(information.bytes, 3, inst_time());
    return put_record(put_record(at, &header), &information);
}

static unsigned char *put_image(unsigned char *at, const char *path, inst_address base)
{
    char text[1024], *end = text + sizeof text - 1;
    char *last = inst_text(text, end - 40, path);
    *inst_hexadecimal(inst_text(last, end, " base=0x"), end, base) = 0;
    return put_string(at, "image", text);
}

/* Another image: as an event, since it may come anywhere. */
static unsigned char *image(unsigned char *at, const char *path, inst_address base)
{
    return put_image(rst_position(at), path, base);
}

static unsigned char *begin(unsigned char *at)
{
    struct inst_string strings[INST_STRINGS];
    char room[INST_DESCRIPTION];
    at = put_header(rst_begin_file(at));
    int count = inst_describe(strings, room, sizeof room);
    for (int n = 0; n < count - 1; n++)
        at = put_string(at, strings[n].name, strings[n].value);
    at = rst_more_strings(put_string, at);
    return put_image(at, strings[count - 1].value, inst_recorded_base());
}

/* Record the thread of the following events. */
static unsigned char *put_cpu(unsigned char *at)
{
    struct record cpu = record_of(RST_CPU);
    put(cpu.bytes, 1, (inst_thread.block->number - 1) & 1023);
    return put_record(at, &cpu);
}

/* Once for each thread: its registers' and its addresses' kind. */
static unsigned char *put_kind_of_thread(unsigned char *at, uint32_t number)
{
    struct record registers = record_of(RST_PREG), addresses = record_of(RST_PAVADIFF);
    put(registers.bytes, 2, (number & 255) << 24 | (number >> 8 & 3) << 22);
    put(addresses.bytes, 0, (uint32_t)RST_PAVADIFF << 24 | RST_PAVADIFF_EA_VALID << 16
                                | (number & 127) << 16 | (number >> 7 & 7) << 13);
    return put_record(put_record(at, &registers), &addresses);
}

static unsigned char *begin_chunk(unsigned char *at, int first)
{
    struct inst_thread_state *thread = &inst_thread;
    struct record kernels = record_of(RST_THREAD);
    uint32_t number = thread->block->number - 1;
    thread->mark = instr_word(number) | (thread->mark & INST_EXCHANGE);
    thread->second_mark = memval_word(number);
    put(kernels.bytes, 3, thread->block->tid);
    at = rst_put_order(put_record(put_cpu(at), &kernels), inst_next_order(), 0, 0, "");
    return first ? put_kind_of_thread(at, number) : at;
}

/* What orders threads is an EVENT; in a recording its place among blocks comes before it, whose run may be
   one that began later. */
static unsigned char *cut(unsigned char *from, unsigned char *to, uint64_t place)
{
    unsigned char *begin = from;
    for (unsigned char *at = from; to - at >= RST_SIZE; at += RST_SIZE) {
        int is_position = RST_POSITIONS && *at == RST_POSITION;
        int is_order = (get(at, 0) & 0xffff0000) == event_word(RST_KIND_ORDER, 0);
        if (is_position || !RST_POSITIONS)
            begin = at;
        if ((is_position || is_order) && ((uint64_t)get(at, 4) << 32 | get(at, 5)) > place)
            return begin;
    }
    return to;
}

static unsigned char *end(unsigned char *at)
{
    at = rst_position(at);
    struct record status = record_of(RST_STATUS);
    status.bytes[1] = RST_STATUS_END_OF_FILE;
    char room[INST_LAST_STRINGS][INST_NUMBER];
    struct inst_string strings[INST_LAST_STRINGS];
    int count = inst_describe_end(strings, room);
    for (int n = 0; n < count; n++)
        at = put_string(at, strings[n].name, strings[n].value);
    return put_record(at, &status);
}

const struct inst_format inst_format = {
    .extension = RST_EXTENSION,
    .reserve = (EVENT_RECORDS + RST_POSITIONS) * RST_SIZE,
    .unit = RST_SIZE,
    .ids = 0,
    .fill = fill,
    .resume = put_cpu,
    .begin = begin,
    .image = image,
    .begin_chunk = begin_chunk,
    .order = rst_put_order,
    .knows = rst_knows,
    .access = rst_put_access,
    .gap = rst_put_gap,
    .cut = cut,
    .end = end,
};
