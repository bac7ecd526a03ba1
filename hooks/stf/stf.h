/* Shared by the files of the library: an access, and the line that it becomes.

   STF has no addresses or values, only registers, so an access is written as the registers that it
   implies: before the instruction those that its address is made of and that it stores, after
   it those that it loads and updates.  Each record names all of them, known before or not, so that
   its meaning does not depend on the records of other threads and handlers around it. */
#ifndef INST_HOOKS_STF_H
#define INST_HOOKS_STF_H

#include "../text.h"

#include <prefix.h>

#pragma GCC visibility push(hidden)

enum { STORES = 0x100 };        /* in an access's kind, besides the bytes that it moves */
enum { REGISTERS = 4 };         /* of an access's address and of its value */

/* An access as it is passed to hooks. */
struct access {
    inst_address address, pc;
    uint64_t high, low;         /* its value; the high half is 0 below 16 bytes */
    uint32_t kind;
    int valued;                 /* the value is known */
    const inst_address *general; /* of a multiple or string form: all general registers, else 0 */
};

/* A register and what it holds. */
struct held {
    uint32_t number;            /* from FLOATING on: a floating-point register */
    uint64_t value;
};
enum { FLOATING = 32 };

/* The registers recorded on one side of an instruction. */
struct line {
    unsigned count, several;
    struct held held[REGISTERS];
    uint32_t first;             /* and of `several` more from this one on, which are in */
    const inst_address *general;
};

/* The registers recorded for an access: before the instruction and after it. */
struct implied {
    struct line before, after;
    uint32_t length;            /* bytes that a string form moves, from XER; 0: not this form */
};

/* Of an instruction word: how it finds its address and its value. */
enum { NO_BANK, GENERAL, DOUBLE, SINGLE, INTEGER_BITS };
enum { INDEXED = 1, UPDATES = 2, REVERSED = 4, LENGTH_IN_XER = 8, ALGEBRAIC = 16,
       IS_ACCESS = 32, ASCENDING = 64 };
struct form {
    char name[10];
    uint8_t bank, flags;
    uint16_t displacement;      /* mask of the bits that hold it */
};

/* An instruction: its word, and the one before it if it has two, else 0. */
struct instruction {
    uint32_t prefix, word;
};

const struct form *stf_form_of(struct instruction instruction);
void stf_imply(struct implied *implied, const struct form *form, struct instruction instruction,
               const struct access *access);

/* Name the one register that code keeps, where an address is made of no register. */
void stf_add_thread_pointer(struct line *line);

#pragma GCC visibility pop

#endif
