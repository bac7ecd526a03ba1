/* The ring of records that the hook library `ring` writes in memory, for programs without an operating
   system: `inst dump` reads it, and so may the program itself.

   Each processor has one `struct inst_ring` in the array `inst_rings`, in the section `.inst_ring`.
   Record number N lies in at[N % records].  Numbers count from 0 modulo 2^32, and `high` counts
   their overflows.  A record is complete if `claim` is its number and the low 24 bits of `done` are
   those of its number; otherwise the code that claimed it was still writing it.  All is in the
   processor's byte order. */
#ifndef INST_RING_H
#define INST_RING_H

#include <stdint.h>

enum { INST_RING_VERSION = 1 };
/* In the byte of the hook's number: the store half of an atomic access, or a tlbi with an operand. */
enum { INST_RING_MARK = 0x80 };
/* Numbers of records that no hook writes: what pauses recording and lets it go on, and the start of
   the program, where `low` counts the starts since the memory was cleared. */
enum { INST_RING_START = 1, INST_RING_PAUSE = 2, INST_RING_RESUME = 12 };
/* Of barrierhook, tlbihook and sysreghook where an instruction is the event, not an annotation: `pc` is
   its address. */
enum { INST_RING_BARRIER = 13, INST_RING_TLBI = 14, INST_RING_SYSREG = 15 };
/* With several processors, before an event that orders them: `low` is its place among those of all
   processors, which count it modulo 2^32 from any number on.  Of an access `address` is its address, and
   `pc` that of a word: "acquire", "release", "acq_rel", "relaxed". */
enum { INST_RING_ORDER = 16 };

struct inst_ring_record {
    uint32_t claim;             /* its number: stored first, atomically */
    uint32_t pc;                /* of the access; of an annotation the address of its source line */
    uint32_t address;           /* of the access; of an annotation's kind if it has no address */
    uint32_t high, low;         /* the value; of a hint the address of its kind, and the value */
    uint32_t done;              /* number of the hook (inst/hooks.h) << 24 | number & 0xffffff */
};

struct inst_ring {
    char magic[8];              /* "INSTRING" */
    uint32_t version;
    uint32_t build;             /* of the program: the value of its symbol inst.build */
    uint32_t machine;           /* e_machine of its ELF file */
    uint32_t records;           /* a power of 2 */
    volatile uint32_t next;     /* the next record's number, or of one before it */
    volatile uint32_t high;
    uint32_t cpu, cpus;
    volatile uint32_t starts;   /* since the memory was cleared */
    volatile uint32_t unreported; /* accesses that sites could not report */
    uint32_t reserved[4];
    struct inst_ring_record at[];
};

#endif
