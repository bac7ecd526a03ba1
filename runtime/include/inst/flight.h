/* The memory in which code records inline that runs without an operating system: the hook library
   `flight` has it, `inst dump` reads it.

   `inst_flight`, in the section `.inst_ring`, is a head and pieces of one size.  Code writes blocks of words
   into a piece, one after the other; when a piece is full it goes on in another one, the oldest that
   nothing writes to.  A block's last word is its name; blocks are found from the end of a piece
   backwards.  All is in the processor's byte order. */
#ifndef INST_FLIGHT_H
#define INST_FLIGHT_H

#include <stdint.h>

enum { INST_FLIGHT_VERSION = 1 };
/* The name of a block that is an event: pc, address, value (high word first), number of the hook << 24 with
   INST_RING_MARK as in inst/ring.h.  That word is 0 until the others are written. */
enum { INST_FLIGHT_EVENT = 1, INST_FLIGHT_EVENT_WORDS = 6 };
/* Numbers of events that no hook writes, besides those of inst/ring.h: code was interrupted at `pc`, and
   goes on there, where `address` names the frame that it was saved in; TORN if what it writes then is in
   memory that has been taken for something else.  Where it goes on the value states the last block
   that it has reserved: the number of the piece, and at which of its words that ends; 0 if it has none. */
enum { INST_FLIGHT_INTERRUPTED = 17, INST_FLIGHT_RESUMED = 18, INST_FLIGHT_TORN = 19 };
/* The program writes the memory as text: the code that calls for that has done all that it has recorded. */
enum { INST_FLIGHT_DUMPED = 20 };

struct inst_flight_piece {
    volatile uint32_t number;   /* pieces count from 1 in the order in which they are used; 0: never */
    volatile uint32_t end;      /* address of the last word, of a piece that is full */
};

struct inst_flight {
    char magic[8];              /* "INSTFLGT" */
    uint32_t version;
    uint32_t build;             /* of the program: the value of its symbol inst.build */
    uint32_t machine;           /* e_machine of its ELF file */
    uint32_t piece, pieces;     /* bytes of a piece, a power of 2; how many there are */
    volatile uint32_t cursor;   /* address of the last word written */
    uint32_t first;             /* address of the first piece */
    volatile uint32_t paused;   /* the cursor from before a pause; 0: code records */
    volatile uint32_t starts;   /* since the memory was cleared */
    volatile uint32_t unreported; /* accesses that sites could not report */
    volatile uint32_t unpinned; /* interruptions for which there was no room in the table */
    uint32_t reserved[3];
    struct inst_flight_piece at[];
};

/* Called by the program's code for traps and interrupts, before and after what it calls of instrumented
   code, with interrupts disabled: where the interrupted code goes on (on SPARC pc and npc, one word
   after the other), in memory that belongs to the interruption alone.  The address may be changed. */
void inst_interrupted(uintptr_t *pc);
void inst_resumed(uintptr_t *pc);

#endif
