/* The instructions that reserve a segment's block, recognised by their words.  Before the block is
   reserved the cursor is loaded, unless X has it, and compared with the limit in a segment that checks:

       ld cursor,X ; ld limit,Y ; cmp X,Y ; blu 1f ; sethi id,Y ; ... call inst.room, start again ...
    1: or Y,id,Y ; add X,SIZE,X ; st Y,[X]

   and `st X,cursor` where X does not keep it.  In 64-bit code ldx and stx, and `sub X,Y,Y ; brlz,pt Y,1f`,
   which leaves the condition codes alone.  A segment that does not check has the sethi before the or.  The
   or may be executed twice. */
#ifndef INST_SEGMENT_WORDS_H
#define INST_SEGMENT_WORDS_H

#include "context.h"
#include "floats.h"

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

/* Values that follow each other are stored ahead of the pointer, which is moved after the last one:

       st V,[X+4] ; std V,[X+8] ; ... add X,SIZE,X ; st X,cursor

   In 64-bit code stx as well.  X is the register that has the pointer, with a place in the chunk. */
enum { INST_OP3_ST = 0x04, INST_OP3_STX = 0x0e, INST_OP3_STF = 0x24, INST_OP3_STDF = 0x27 };

/* Return how far ahead of the pointer a word stores a value; 0 if it does not. */
static inline unsigned inst_place_of_value(uint32_t word)
{
    unsigned kind = word >> 19 & 63;
    int is_store = kind == INST_OP3_ST || kind == INST_OP3_STX || kind == INST_OP3_STF
                   || kind == INST_OP3_STDF;
    int is_ahead = word == (inst_format_3(3, inst_target(word), kind, INST_SITE_POINTER) | (word & 0xfff));
    return is_store && is_ahead ? word & 0xfff : 0;
}

/* Return by how much a word moves the pointer; 0 if it does not. */
static inline unsigned inst_moves(uint32_t word)
{
    enum { ADD = 0 };
    uint32_t move = inst_format_3(2, INST_SITE_POINTER, ADD, INST_SITE_POINTER);
    return word == (move | (word & 0xfff)) ? word & 0xfff : 0;
}

/* Floating-point registers are where the kernel has stored them, or still what they were. */
static inline uint64_t inst_float_of(const struct inst_code *code, unsigned number, int is_double)
{
    const uint32_t *at = code->floats;
    if (at && is_double)
        return (uint64_t)at[number] << 32 | at[number + 1];
    if (at)
        return at[number];
#ifdef __arch64__
    if (is_double)
        return inst_double(number);
#endif
    return inst_single(number);
}

static inline uintptr_t inst_integer_of(const struct inst_code *code, unsigned number)
{
    const uintptr_t *window = (const uintptr_t *)code->frame;
    if (number < 16)
        return number ? code->registers[INST_REGISTERS + number] : 0;
    __asm__ __volatile__(INST_FLUSH_WINDOWS : : : "memory");
    return ((const volatile uintptr_t *)window)[number - 16];
}

/* If the interrupted code is about to store the name of a block, do that and return 1:

       add X,SIZE,X ; st Y,[X] */
static inline int inst_stores_name(const struct inst_code *code, uintptr_t chunk, uintptr_t size)
{
    enum { IMMEDIATE = 0x2000 };
    uintptr_t *pointer = inst_register(code->registers, INST_SITE_POINTER);
    const uint32_t *at = (const uint32_t *)code->registers[INST_PC];
    uint32_t store = INST_SITE_STORE | INST_SITE_POINTER << 14, name = inst_target(*at);
    if ((*at & ~IMMEDIATE) != ((store | name << 25) & ~IMMEDIATE) || !inst_moves(at[-1])
        || *pointer - chunk >= size)
        return 0;
    *(uintptr_t *)*pointer = inst_integer_of(code, name);
    return 1;
}

/* If a word stores a value or a register that arrives, or moves the pointer of these, or stores that as the
   cursor, do that and return 1. */
static inline int inst_stores_value(uint32_t word, const struct inst_code *code, uintptr_t chunk,
                                    uintptr_t size, int32_t cursor)
{
    uintptr_t *pointer = inst_register(code->registers, INST_SITE_POINTER);
    unsigned number = inst_target(word), kind = word >> 19 & 63, ahead = inst_place_of_value(word);
    uintptr_t at = *pointer + ahead;
    if (*pointer - chunk >= size)
        return 0;
    if (inst_moves(word)) {
        *pointer += inst_moves(word);
        return 1;
    }
    if (number == INST_SITE_POINTER && inst_is_at(word, INST_SITE_STORE, cursor)) {
        *(uintptr_t *)(code->registers[INST_REGISTERS + INST_SITE_THREAD] + (intptr_t)cursor) = *pointer;
        return 1;
    }
    if (!ahead)
        return 0;
    if (kind == INST_OP3_STX)
        *(uint64_t *)at = inst_integer_of(code, number);
    else if (kind == INST_OP3_ST)
        *(uint32_t *)at = inst_integer_of(code, number);
    else if (kind == INST_OP3_STF)
        *(uint32_t *)at = inst_float_of(code, number, 0);
    else
        *(uint64_t *)at = inst_float_of(code, (number & 1) << 5 | (number & 30), 1);
    return 1;
}

/* Return whether a word may transfer control: branches, call, jmpl, return, traps. */
static inline int inst_transfers(uint32_t word)
{
    enum { SETHI = 4, JMPL = 0x38, RETURN = 0x39, TICC = 0x3a };
    unsigned kind = word >> 19 & 63;
    if (word >> 30 == 0)
        return (word >> 22 & 7) != SETHI;
    return word >> 30 == 1 || (word >> 30 == 2 && (kind == JMPL || kind == RETURN || kind == TICC));
}

/* Return whether a word may leave something else in the pointer's register: not as floating point. */
static inline int inst_changes_pointer(uint32_t word)
{
    enum { FLOATS = 0x20, FPOP = 0x34, IMPDEP = 0x36 };
    unsigned kind = word >> 19 & 63, operation = word >> 30;
    int is_float = operation == 3 ? kind & FLOATS : operation == 2 && kind >= FPOP && kind <= IMPDEP;
    return inst_target(word) == INST_SITE_POINTER && !is_float;
}

/* Return how many bytes the interrupted code has stored ahead of the pointer: the next of its stores says
   it, or what moves the pointer, which comes before control is transferred.  Other code has the pointer
   left over in its register, until it puts something else there. */
static inline uintptr_t inst_stored_ahead(const uintptr_t *registers)
{
    enum { PAGE_BYTES = 4096 };
    uintptr_t pc = registers[INST_PC];
    if (pc % 4 || pc < PAGE_BYTES || registers[INST_PC + 1] != pc + 4)
        return 0;
    for (const uint32_t *at = (const uint32_t *)pc;; at++) {
        int begins = (const uint32_t *)pc == at || (uintptr_t)at % PAGE_BYTES == 0;
        if (begins && !inst_is_readable(at, 4))
            return 0;
        if (inst_place_of_value(*at))
            return inst_place_of_value(*at) - sizeof(uintptr_t);
        if (inst_moves(*at))
            return inst_moves(*at);
        if (inst_transfers(*at) || inst_changes_pointer(*at))
            return 0;
    }
}

static inline int inst_begins_again(uintptr_t *registers, uintptr_t chunk, uintptr_t size)
{
    return 0;
}

static inline void inst_continue_at(uintptr_t *registers, uintptr_t pc)
{
    registers[INST_PC] = pc;
    registers[INST_PC + 1] = pc + 4;
}

#endif
