/* The instructions that reserve a segment's block, recognised by their words.  Before the block is
   reserved the cursor is loaded, and compared with the limit in a segment that checks:

       ld cursor,X ; ld limit,Y ; cmp X,Y ; blu 1f ; sethi id,Y ; ... call inst.room, start again ...
    1: or Y,id,Y ; add X,SIZE,X ; st Y,[X] ; st X,cursor

   In 64-bit code ldx and stx, and `sub X,Y,Y ; brlz,pt Y,1f`, which leaves the condition codes alone.
   A segment that does not check has the sethi between the first load and the or.  The or may be
   executed twice. */
#ifndef INST_SEGMENT_WORDS_H
#define INST_SEGMENT_WORDS_H

#include "context.h"

enum { INST_BEFORE = 4, INST_RESERVING = 4 };   /* most words before the first that reserves; those */

/* The fields of a word of format 3: all but the immediate. */
static inline uint32_t inst_format_3(unsigned operation, unsigned to, unsigned third, unsigned from)
{
    enum { IMMEDIATE = 1 };
    return operation << 30 | to << 25 | third << 19 | from << 14 | IMMEDIATE << 13;
}

static inline unsigned inst_target(uint32_t word)
{
    return word >> 25 & 31;
}

/* Return whether a word loads or stores what lies so far from the thread pointer. */
static inline int inst_is_at(uint32_t word, uint32_t access, int32_t offset)
{
    return word == (access | inst_target(word) << 25 | INST_SITE_THREAD << 14 | (offset & 0x1fff));
}

static inline int inst_loads(uint32_t word, int32_t offset)
{
    return inst_is_at(word, INST_SITE_LOAD, offset);
}

static inline int inst_compares(uint32_t word)
{
#ifdef __arch64__
    enum { SUB = 0x04, INTO_SECOND = 31 };
    return word >> 30 == 2 && inst_target(word) == (word & INTO_SECOND) && (word >> 19 & 63) == SUB;
#else
    enum { SUBCC = 0x14 };
    return word >> 30 == 2 && !inst_target(word) && (word >> 19 & 63) == SUBCC;
#endif
}

static inline int inst_is_sethi(uint32_t word)
{
    return (word & 0xc1c00000) == 0x01000000;
}

/* Return which register has the cursor if the words, from the or, reserve a block; -1 if not. */
static inline int inst_reserves(const uint32_t *at, int32_t cursor)
{
    enum { OR = 2, ADD = 0 };
    unsigned id = inst_target(at[0]), to = inst_target(at[3]);
    int adds = (at[0] & ~0x1fffu) == inst_format_3(2, id, OR, id)
               && (at[1] & ~0x1fffu) == inst_format_3(2, to, ADD, to);
    int stores = (at[2] & ~0x2000u) == ((INST_SITE_STORE | id << 25 | to << 14) & ~0x2000u);
    return adds && stores && inst_is_at(at[3], INST_SITE_STORE, cursor) ? (int)to : -1;
}

/* Return how many words before this one the cursor was loaded, if it is compared here or the id's
   first half is loaded; else 0. */
static inline int inst_words_since_load(const uint32_t *at, int32_t cursor, int32_t limit)
{
    if (inst_loads(at[-1], cursor) && (inst_loads(at[0], limit) || inst_is_sethi(at[0])))
        return 1;
    for (int n = 2; n <= INST_BEFORE; n++)
        if (inst_loads(at[-n], cursor) && inst_loads(at[1 - n], limit) && inst_compares(at[2 - n]))
            return n;
    return 0;
}

/* Globals and outs are among the registers; the pointer is none of the others. */
static inline uintptr_t *inst_register(uintptr_t *registers, unsigned number)
{
    return number < 16 ? &registers[INST_REGISTERS + number] : 0;
}

/* Values are stored as blocks. */
static inline int inst_stores_value(uint32_t word, uintptr_t *registers, uintptr_t chunk,
                                    uintptr_t size, int32_t cursor)
{
    return 0;
}

static inline void inst_continue_at(uintptr_t *registers, uintptr_t pc)
{
    registers[INST_PC] = pc;
    registers[INST_PC + 1] = pc + 4;
}

#endif
