/* The file of a ring: a control block, then slots, each as large as a chunk. */
#ifndef INST_RING_FILE_H
#define INST_RING_FILE_H

#include "output.h"
#include "part.h"
#include "width.h"

#pragma GCC visibility push(hidden)

enum { TABLE = 8192 };                  /* where the slots' states begin in the control block */
enum { FREE, BEING_WRITTEN, FULL, KEPT };       /* states of a slot */
enum { DRAINED = 'd', FLIGHT = 'f' };   /* kinds of rings: another process takes chunks away, or not */
enum { ENDED = 1 };                     /* the recording has, and the ring is finished */

struct slot {
    volatile uint32_t state, number;
    volatile uint64_t released;         /* the order when it was given up */
};
enum { MOST = (CHUNK - TABLE) / (int)sizeof(struct slot) };

struct control {
    volatile char magic[8];
    unsigned char version, word, byte_order, kind, chunk[4];    /* big-endian */
    volatile uint32_t slots, pid, next, finished, waits, overwritten;
    unsigned char unused[24];
    volatile uint64_t unsaved, complete_from;
    unsigned char unused_too[48];
    char name[TABLE - 128];
    struct slot slot[MOST];
};
_Static_assert(offsetof(struct control, unsaved) == 64, "a field of the ring has another place");
_Static_assert(offsetof(struct control, name) == 128, "a field of the ring has another place");
_Static_assert(offsetof(struct control, slot) == TABLE, "the table has another place");

static inline struct control *inst_control(void)
{
    return (struct control *)inst_process.ring;
}

static inline unsigned char *inst_place_of(uint32_t n)
{
    return inst_process.ring + (1 + n) * (unsigned long)CHUNK;
}

/* Map slots of the file, of which the first is number `from` of all chunks of the file; return 0 or an
   error number. */
int inst_map_ring(uint32_t from, uint32_t count);

/* Return whether no process takes chunks away: it locks a file as long as it runs. */
int inst_drain_is_gone(void);

#pragma GCC visibility pop

#endif
