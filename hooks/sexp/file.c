/* The start of a file, and the text between the records. */
#include "sexp.h"

enum { EVENTS = 8192 };         /* records that a chunk can hold, by their shortest form */

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

static unsigned char *put_producer(unsigned char *at, const char *name, const char *value,
                                   uint32_t id)
{
    unsigned char *start = at;
    at = put_start(at, "producer", id);
    at = put_quoted(put_text(at, " (name "), name);
    at = put_quoted(put_text(at, ") (value "), value);
    return put_ends(at, start);
}

static unsigned char *put_image(unsigned char *at, const char *path, inst_address base, uint32_t id)
{
    unsigned char *start = at;
    at = put_start(at, "image", id);
    at = put_short_address(put_text(at, " (base "), base);
    at = put_quoted(put_text(at, ") (path "), path);
    return put_ends(at, start);
}

static unsigned char *image(unsigned char *at, const char *path, inst_address base)
{
    return put_image(at, path, base, inst_slow_id());
}

static unsigned char *begin(unsigned char *at)
{
    struct inst_string strings[INST_STRINGS];
    char room[INST_DESCRIPTION];
    int count = inst_describe(strings, room, sizeof room);
    inst_thread.mark = inst_thread.block->number;
    for (int n = 0; n < count - 1; n++)
        at = put_producer(at, strings[n].name, strings[n].value, inst_thread.next_id++);
    return put_image(at, strings[count - 1].value, inst_recorded_base(), inst_thread.next_id++);
}

static unsigned char *begin_chunk(unsigned char *at, int first)
{
    (void)first;
    struct inst_block *block = inst_thread.block;
    inst_thread.mark = block->number | (inst_thread.mark & INST_EXCHANGE);
    block->chunk_end[-1] = '\n';    /* what follows begins on a line of its own */
    return sexp_put_order(at, inst_next_order(), 0, 0, "");
}

static int begins_with(const unsigned char *at, const unsigned char *end, const char *text)
{
    while (*text && at < end && *at == (unsigned char)*text)
        at++, text++;
    return !*text;
}

/* Return the place that a line states in the order of all threads, as the last of its numbers; 0 if it
   states none. */
static uint64_t place_of(const unsigned char *at, const unsigned char *end)
{
    uint64_t place = 0;
    int is_order = 0;
    if (!begins_with(at, end, "(event "))
        return 0;
    for (; at < end; at++) {
        is_order |= begins_with(at, end, " (what order)");
        if (begins_with(at, end, " (value 0x"))
            for (place = 0, at += 10; at < end && *at != ')'; at++)
                place = place << 4 | ((*at & 15) + (*at > '9' ? 9 : 0));
    }
    return is_order ? place : 0;
}

static unsigned char *cut(unsigned char *from, unsigned char *to, uint64_t place)
{
    for (unsigned char *at = from, *end; at < to; at = end) {
        for (end = at; end < to && *end != '\n';)
            end++;
        if (place_of(at, end) > place)
            return at;
        end += end < to;
    }
    return to;
}

/* The start of a file records how it ends; that of a stream cannot. */
static unsigned char *end(unsigned char *at)
{
    char room[INST_LAST_STRINGS][INST_NUMBER];
    struct inst_string strings[INST_LAST_STRINGS];
    int count = inst_describe_end(strings, room);
    for (int n = 0; n < count; n++)
        at = put_producer(at, strings[n].name, strings[n].value, inst_slow_id());
    return inst_streams() ? put_producer(at, "ending", "end of stream", inst_slow_id()) : at;
}

const struct inst_format inst_format = {
    .extension = "sexp",
    .reserve = EVENT_ROOM,
    .unit = 1,
    .ids = EVENTS,
    .fill = fill_with_blanks,
    .resume = resume_on_new_line,
    .begin = begin,
    .image = image,
    .begin_chunk = begin_chunk,
    .order = sexp_put_order,
    .access = sexp_put_access,
    .gap = sexp_put_gap,
    .cut = cut,
    .end = end,
};
