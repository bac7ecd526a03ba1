/* The instructions that reserve a segment's block, recognised by their words.  Before the block is
   reserved the cursor is loaded, and compared with the limit in a segment that checks:

       lwz X,cursor ; lwz Y,limit ; cmplw F,X,Y ; blt F,1f ; ... call inst.room, start again ...
    1: lis Y,id ; ori Y,Y,id ; stwu Y,SIZE(X) ; stw X,cursor

   In 64-bit code ld, cmpld, stdu and std. */
#ifndef INST_SEGMENT_WORDS_H
#define INST_SEGMENT_WORDS_H

#include "context.h"
#include "singles.h"

enum { INST_BEFORE = 3, INST_RESERVING = 4 };   /* most words before the first that reserves; those */

static inline unsigned inst_first_register(uint32_t word)
{
    return word >> 21 & 31;
}

static inline unsigned inst_second_register(uint32_t word)
{
    return word >> 16 & 31;
}

/* Return whether a word loads or stores what lies so far from the thread pointer. */
static inline int inst_is_at(uint32_t word, uint32_t access, int32_t offset)
{
    return word >> 26 == access >> 26 && inst_second_register(word) == INST_SITE_THREAD
           && (word & 0xffff) == (offset & 0xffff);
}

static inline int inst_loads(uint32_t word, int32_t offset)
{
    return inst_is_at(word, INST_SITE_LOAD, offset);
}

static inline int inst_compares(uint32_t word)
{
    return (word & 0xfc2007ff) == INST_SITE_COMPARE;
}

static inline int inst_is_update(uint32_t word)
{
    return word >> 26 == INST_SITE_UPDATE >> 26
           && (word & INST_SITE_FORM) == (INST_SITE_UPDATE & INST_SITE_FORM);
}

/* Return which register has the cursor if the words reserve a block; -1 if they do not. */
static inline int inst_reserves(const uint32_t *at, int32_t cursor)
{
    enum { IMMEDIATE_SHIFTED = 15, OR_IMMEDIATE = 24 };
    unsigned id = inst_first_register(at[0]), to = inst_first_register(at[3]);
    int is_id = at[0] >> 26 == IMMEDIATE_SHIFTED && !inst_second_register(at[0])
                && at[1] >> 26 == OR_IMMEDIATE && inst_first_register(at[1]) == id
                && inst_second_register(at[1]) == id;
    int is_update = inst_is_update(at[2]) && inst_first_register(at[2]) == id
                    && inst_second_register(at[2]) == to;
    return is_id && is_update && inst_is_at(at[3], INST_SITE_STORE, cursor) ? (int)to : -1;
}

/* Return how many words before this one the cursor was loaded, if it is compared here; else 0. */
static inline int inst_words_since_load(const uint32_t *at, int32_t cursor, int32_t limit)
{
    if (inst_loads(at[-1], cursor) && inst_loads(at[0], limit))
        return 1;
    if (inst_loads(at[-2], cursor) && inst_loads(at[-1], limit) && inst_compares(at[0]))
        return 2;
    return inst_loads(at[-3], cursor) && inst_loads(at[-2], limit) && inst_compares(at[-1]) ? 3 : 0;
}

static inline uintptr_t *inst_register(uintptr_t *registers, unsigned number)
{
    return &registers[number];
}

/* Return whether a word moves a pointer on by one word of a recording: addi X,X,4 (8). */
static inline int inst_moves_on(uint32_t word, unsigned pointer)
{
    enum { ADD_IMMEDIATE = 14 };
    return word == (ADD_IMMEDIATE << 26 | pointer << 21 | pointer << 16 | sizeof(uintptr_t));
}

/* If the program was about to store a value that it has loaded by instructions of which some do not move
   the pointer, go back to the load and return 1:

       lvx V,... ; xxswapd W,V ; addi X,X,8 ; stxvd2x W,0,X ; addi X,X,8

   with or without the second instruction and the last.  What the store is does not matter: no other has the
   address X.  The load runs again, and comes after the signal then. */
static inline int inst_begins_again(uintptr_t *registers, uintptr_t chunk, uintptr_t size)
{
    enum { PREFIX = 1, INDEXED = 31, PERMUTE = 60, MOST = 3, WITHOUT_VALUE = 0xfc1ff800 };
    const uint32_t *at = (const uint32_t *)registers[INST_PC];
    int is_swapped = at[0] >> 26 == PERMUTE;
    for (int n = 0; n < MOST - !is_swapped; n++) {
        unsigned to = at[n] >> 11 & 31;
        if ((at[n] & WITHOUT_VALUE) != ((uint32_t)INDEXED << 26 | to << 11)
            || registers[to] - chunk >= size || !inst_moves_on(at[n - 1], to))
            continue;
        if (n == 0)
            registers[to] -= sizeof *registers;
        at += n - 2;
        at -= *at >> 26 == PERMUTE;
        registers[INST_PC] = (uintptr_t)(at - (at[-1] >> 26 == PREFIX));
        return 1;
    }
    return 0;
}

/* If a word stores a value or a register that arrives where values are stored one by one, or the pointer
   of these as the cursor, do that and return 1:

       stwu V,4(X) ; stfsu V,4(X) ; stwu 1,8(X) and stfd V,-4(X) ; stw X,cursor

   In 64-bit code stdu V,8(X), stfsu V,8(X), stfdu V,8(X), std X,cursor, and the last instruction of a value
   that inst_begins_again does not begin anew.  X points into the chunk, as no other register of the program
   does. */
static inline int inst_stores_value(uint32_t word, const struct inst_code *interrupted,
                                    uintptr_t chunk, uintptr_t size, int32_t cursor)
{
    uintptr_t *registers = interrupted->registers;
    enum { STORE_SINGLE_UPDATE = 53, STORE_DOUBLE = 54, STORE_DOUBLE_UPDATE = 55, FLOATS = 48 };
    unsigned from = inst_first_register(word), to = inst_second_register(word), code = word >> 26;
    if (inst_is_at(word, INST_SITE_STORE, cursor) && registers[from] - chunk < size) {
        *(uintptr_t *)(registers[INST_SITE_THREAD] + (intptr_t)cursor) = registers[from];
        return 1;
    }
    if (!to || registers[to] - chunk >= size)
        return 0;
    if (inst_moves_on(word, to)) {
        registers[to] += sizeof *registers;
        return 1;
    }
    uintptr_t place = registers[to] + (intptr_t)(int16_t)(
        word & (code == INST_SITE_UPDATE >> 26 ? 0xffff ^ INST_SITE_FORM : 0xffff));
    uint64_t number = ((const uint64_t *)(registers + FLOATS))[from];
    if (inst_is_update(word))
        *(uintptr_t *)place = registers[from];
    else if (code == STORE_SINGLE_UPDATE)
        *(uint32_t *)place = single_of(number);
    else if (code == STORE_DOUBLE_UPDATE)
        *(uint64_t *)place = number;
    else if (sizeof place == 4 && code == STORE_DOUBLE)
        ((uint32_t *)place)[0] = number >> 32, ((uint32_t *)place)[1] = number;
    else
        return 0;
    if (code != STORE_DOUBLE)
        registers[to] = place;
    return 1;
}

/* The store of a block's name moves the pointer. */
static inline int inst_stores_name(const struct inst_code *code, uintptr_t chunk, uintptr_t size)
{
    return 0;
}

/* Each store moves the pointer. */
static inline uintptr_t inst_stored_ahead(const uintptr_t *registers)
{
    return 0;
}

static inline void inst_continue_at(uintptr_t *registers, uintptr_t pc)
{
    registers[INST_PC] = pc;
}

#endif
