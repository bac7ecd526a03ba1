/* The text before the instructions: the header, and all registers once. */
#include "stf.h"

enum { EVENT_ROOM = 1024 };     /* stmw of all registers in 64-bit code takes 850 */

/* Bars end a field, and a line ends the header. */
static unsigned char *put_field(unsigned char *at, const char *name, const char *value)
{
    enum { LONGEST = 1000 };
    while (*name)
        *at++ = *name++;
    at = put_text(at, ": ");
    for (unsigned n = 0; n < LONGEST && value[n]; n++)
        *at++ = value[n] == '|' || (unsigned char)value[n] < ' ' ? ' ' : value[n];
    return put_text(at, " | ");
}

/* Name where the image begins as well, as the other formats do. */
static unsigned char *put_image(unsigned char *at, const char *path)
{
    char text[1024], *end = text + sizeof text - 1;
    char *last = inst_text(inst_text(text, end - 40, path), end, " base=0x");
    *inst_hexadecimal(last, end, inst_recorded_base()) = 0;
    return put_field(at, "image", text);
}

/* All of the header but its first bar. */
static unsigned char *put_header(unsigned char *at)
{
    struct inst_string strings[INST_STRINGS];
    char room[INST_DESCRIPTION];
    int count = inst_describe(strings, room, sizeof room);
    at = put_field(put_text(at + 1, "|"), "OPTIONS", "0");
    at = put_field(at, "TRACE", inst_output_name());
    at = put_field(at, "VERSION", "inst " INST_VERSION);
    for (int n = 0; n < count - 1; n++)
        at = put_field(at, strings[n].name, strings[n].value);
    at = put_image(at, strings[count - 1].value);
    at[-3] = '|';               /* the bar after the last field ends the line */
    at[-2] = '\n';
    return at - 1;
}

/* Write 32 registers, all zero. */
static unsigned char *put_state(unsigned char *at, unsigned char bank, unsigned words)
{
    for (unsigned number = 0, tens = 0, ones = 0; number < 32; number++) {
        *at++ = bank;
        *at++ = '0' + tens;
        *at++ = '0' + ones;
        at = put_text(at, " = ");
        for (unsigned n = 0; n < words; n++)
            at = put_word(at, 0);
        *at++ = number < 31 ? ' ' : '\n';
        ones = ones == 9 ? tens++, 0 : ones + 1;
    }
    return at;
}

/* The very first character is stored last, as an event's is. */
static unsigned char *begin(unsigned char *at)
{
    unsigned char *end = put_state(put_header(at), 'R', sizeof(inst_address) / 4);
    end = put_state(end, 'F', 2);
    inst_ordered();
    *at = '|';
    return end;
}

static unsigned char *begin_chunk(unsigned char *at, int first)
{
    (void)first;
    struct inst_block *block = inst_thread.block;
    block->chunk_end[-1] = '\n';    /* what follows begins on a line of its own */
    return at;
}

/* The start of a file records how it ends; a stream has another header for that. */
static unsigned char *end(unsigned char *at)
{
    if (!inst_streams())
        return at;
    unsigned char *first = at;
    at = put_text(at + 1, "|ending: end of stream|\n");
    inst_ordered();
    *first = '|';
    return at;
}

const struct inst_format inst_format = {
    .extension = "stf",
    .reserve = EVENT_ROOM,
    .unit = 1,
    .ids = 0,
    .fill = fill_with_blanks,
    .resume = resume_on_new_line,
    .begin = begin,
    .begin_chunk = begin_chunk,
    .end = end,
};
