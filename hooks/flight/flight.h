/* Shared by the files of the library, whose hooks are those of the library `ring`: where an event goes,
   and how it is written.  Takes the place of ../ring/ring.h. */
#ifndef INST_HOOKS_FLIGHT_H
#define INST_HOOKS_FLIGHT_H
#define INST_HOOKS_RING_H

#include <inst/flight.h>
#include <inst/ring.h>
#include <inst/runtime.h>

/* Bytes of a piece, a power of 2, and how many there are, up to 32. */
#ifndef INST_FLIGHT_PIECES
#define INST_FLIGHT_PIECE 8192
#define INST_FLIGHT_PIECES 7
#endif

#pragma GCC visibility push(hidden)

/* Code looks at the limit now and then: beyond it there is room for what it writes until it does, and a
   block. */
enum { ZONE = INST_SITE_UNCHECKED_GLOBALLY + 4 * INST_SITE_MOST_WORDS };
enum { PIECES = INST_FLIGHT_PIECES, PIECE = INST_FLIGHT_PIECE };

extern struct whole_flight {
    struct inst_flight head;
    struct inst_flight_piece at[PIECES];
    uint32_t words[PIECES][PIECE / 4];
} inst_flight;
_Static_assert(sizeof(struct inst_flight) == 64, "layout");

/* A checked segment begins below; 0: it calls inst.room first, as at the start of the program. */
extern volatile uint32_t flight_limit __asm__("inst.limit");

#include <flight_steps.h>

void inst_room(void);

/* Return the piece in which what follows a cursor lies. */
static inline uint32_t flight_piece_of(uint32_t cursor)
{
    return (cursor + 4 - (uint32_t)(uintptr_t)inst_flight.words) / PIECE;
}

/* Return how many words of a piece there are up to a cursor. */
static inline uint32_t flight_words(uint32_t piece, uint32_t cursor)
{
    return (cursor + 4 - (uint32_t)(uintptr_t)inst_flight.words[piece]) / 4;
}

/* Let what is recorded go nowhere; return where it was recorded before, 0 if it has not begun.  Go on there,
   unless recording paused before. */
uint32_t flight_stop(void);
void flight_go_on(uint32_t cursor);

/* A place: in which piece, by its number, and how many words of that come before. */
struct flight_place {
    uint32_t number, words;
};

/* How far the memory has been sent. */
extern struct flight_place flight_sent;

/* Find the end of a block that may have been sent before it was complete, one after the other; return
   whether there was one. */
int flight_late(struct flight_place *end);

static inline __attribute__((always_inline)) void record(
    unsigned kind, inst_address address, inst_address pc, uint32_t high, uint32_t low)
{
    if (inst_unlikely(flight_cursor(&inst_flight.head) >= flight_limit))
        inst_room();
    volatile uint32_t *name = flight_take(4 * INST_FLIGHT_EVENT_WORDS, INST_FLIGHT_EVENT);
    name[-5] = pc;
    name[-4] = address;
    name[-3] = high;
    name[-2] = low;
    name[-1] = kind << 24;
}

static inline void ring_slow(inst_address address, inst_address pc, uint32_t high, uint32_t low,
                             unsigned kind)
{
    record(kind, address, pc, high, low);
}

void inst_order(inst_address address, const char *how);

#pragma GCC visibility pop

#endif
