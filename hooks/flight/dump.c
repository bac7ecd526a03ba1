/* The memory as lines of text, written by a function of the program: all of it, or what is new.

   After the line of the head each line has up to 8 words of a piece, after the piece's number and the first
   word's place in it, which is -1 where all of a full piece has been sent.  What a line says of a word
   holds until another line says so. */
#include "flight.h"

#include "../ring/lines.h"

void inst_dump(void (*put)(char));
void inst_drain(void (*put)(char));

enum { WORDS = 8, LARGEST_BLOCK = INST_SITE_MOST_WORDS };

/* Send words of a piece that has a number, as long as it has; return whether all were sent. */
static int put_words(void (*put)(char), uint32_t piece, uint32_t number, uint32_t first,
                     uint32_t end)
{
    for (; first < end; first += WORDS) {
        uint32_t line[2 + WORDS] = { number, first };
        uint32_t count = end - first < WORDS ? end - first : WORDS;
        for (uint32_t n = 0; n < count; n++)
            line[2 + n] = *(volatile uint32_t *)&inst_flight.words[piece][first + n];
        if (inst_flight.at[piece].number != number)
            return 0;
        put_line(put, "inst-flight", 0, line, 2 + count);
    }
    return 1;
}

static void put_end(void (*put)(char), uint32_t number)
{
    uint32_t line[2] = { number, -1 };
    put_line(put, "inst-flight", 0, line, 2);
}

/* Return how far the memory is filled up to a cursor: asked while it cannot be filled further. */
static struct flight_place filled(uint32_t cursor)
{
    uint32_t piece = flight_piece_of(cursor);
    return (struct flight_place){ inst_flight.at[piece].number, flight_words(piece, cursor) };
}

/* Send the pieces from a number on, the first from a word on, up to a word of the last. */
static void put_pieces(void (*put)(char), struct flight_place from, struct flight_place to)
{
    put_line(put, "inst-flight", 0, (const uint32_t *)&inst_flight.head,
             sizeof inst_flight.head / 4);
    for (; from.number <= to.number; from.number++, from.words = 0)
        for (uint32_t n = 0; n < PIECES; n++)
            if (inst_flight.at[n].number == from.number) {
                int is_last = from.number == to.number;
                uint32_t end = is_last ? to.words : flight_words(n, inst_flight.at[n].end);
                flight_sent = (struct flight_place){ from.number, end };
                if (put_words(put, n, from.number, from.words, end) && !is_last)
                    put_end(put, from.number);
            }
    put('\n');
}

/* Recording pauses: what writes the text may be instrumented. */
void inst_dump(void (*put)(char))
{
    uint32_t cursor = flight_stop();
    struct flight_place before = flight_sent;
    if (cursor)
        put_pieces(put, (struct flight_place){ 1, 0 }, filled(cursor));
    flight_sent = before;
    flight_go_on(cursor);
}

/* Blocks of code that was interrupted in them are sent again when it has gone on. */
void inst_drain(void (*put)(char))
{
    uint32_t cursor = flight_stop();
    if (!cursor)
        return;
    struct flight_place now = filled(cursor), late;
    flight_go_on(cursor);
    while (flight_late(&late))
        for (uint32_t n = 0; n < PIECES; n++)
            if (inst_flight.at[n].number == late.number)
                put_words(put, n, late.number,
                          late.words < LARGEST_BLOCK ? 0 : late.words - LARGEST_BLOCK,
                          late.words);
    put_pieces(put, flight_sent, now);
    flight_sent = now;
}
