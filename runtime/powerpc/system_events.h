/* System events of PowerPC, of both widths: from the word of an instruction to its event. */
#ifndef INST_POWERPC_SYSTEM_EVENTS_H
#define INST_POWERPC_SYSTEM_EVENTS_H

#include "../system_events.h"

enum inst_event_operand {
    BY_NONE,
    BY_SOURCE,          /* the register that is written from */
    BY_SOURCE_IF_NAMED, /* the same, unless the word names no registers */
    BY_SECOND,          /* rB */
    BY_SUM,             /* rA + rB, an address */
    BY_REGISTER,        /* of a special-purpose register: what is written to it */
    BY_BIT,             /* the bit of MSR that lets interrupts come: of a register */
    BY_BIT_OF_WORD      /* ... or of the word */
};

struct event_word {
    uint32_t mask, match;
    uint8_t event, operand;
    char text[14];
};

struct system_register {
    uint16_t number;
    char name[10];
};

#include <events.h>

/* Return the name of a register that `mtspr` writes; 0 for one that traces do not show, such as lr, which
   the code of sites writes, too. */
static const char *inst_system_register(uint32_t word)
{
    unsigned number = (word >> 16 & 31) | (word >> 11 & 31) << 5;
    for (unsigned n = 0; n < sizeof system_registers / sizeof *system_registers; n++)
        if (system_registers[n].number == number)
            return system_registers[n].name;
    return 0;
}

/* Return what the table has on a word; 0 for one that is no event. */
static const struct event_word *inst_event_of(uint32_t word)
{
    for (unsigned n = 0; n < sizeof event_words / sizeof *event_words; n++)
        if ((word & event_words[n].mask) == event_words[n].match)
            return event_words[n].operand != BY_REGISTER || inst_system_register(word)
                       ? &event_words[n] : 0;
    return 0;
}

/* Report the event of an instruction at `pc`, whose operands are in `general`. */
static void inst_report_word(const struct event_word *row, uint32_t word, const uintptr_t *general,
                             inst_address pc)
{
    enum { RA = 16, RB = 11, RS = 21, FIELDS = 0x03fff800, INTERRUPTS = 15 };
    uint64_t source = general[word >> RS & 31], second = general[word >> RB & 31];
    unsigned first = word >> RA & 31;
    const char *text = row->text;
    uint64_t value = 0;
    int operands = row->operand != BY_NONE;
    switch ((enum inst_event_operand)row->operand) {
    case BY_NONE:
        break;
    case BY_SOURCE_IF_NAMED:
        operands = (word & FIELDS) != 0;
        value = operands ? source : 0;
        break;
    case BY_SOURCE:
        value = source;
        break;
    case BY_SECOND:
        value = second;
        break;
    case BY_SUM:
        value = (uintptr_t)((first ? general[first] : 0) + second);
        break;
    case BY_REGISTER:
        text = inst_system_register(word);
        value = source;
        break;
    case BY_BIT:
        value = source >> INTERRUPTS & 1;
        break;
    case BY_BIT_OF_WORD:
        value = word >> INTERRUPTS & 1;
        break;
    }
    inst_report_event(row->event, text, operands, value, pc);
}

#endif
