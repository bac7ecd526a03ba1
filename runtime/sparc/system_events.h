/* System events of 32-bit SPARC: from the word of an instruction to its event. */
#ifndef INST_SPARC_SYSTEM_EVENTS_H
#define INST_SPARC_SYSTEM_EVENTS_H

#include "../system_events.h"

#include <events.h>

enum { ALTERNATE_STORES = 0x14, LAST_STORE = 0x17, DOUBLE_STORE = 0x17 };

static int inst_is_among(const unsigned char *spaces, unsigned count, unsigned space)
{
    for (unsigned n = 0; n < count; n++)
        if (spaces[n] == space)
            return 1;
    return 0;
}

/* Report a store to a space of the memory management; return whether it is one. */
static int inst_is_control(uint32_t word, const uint32_t *registers, inst_address pc)
{
    unsigned operation = word >> 19 & 63, space = word >> 5 & 0xff, result = word >> 25 & 31;
    uint32_t address = registers[word >> 14 & 31] + registers[word & 31];
    uint64_t value = registers[result];
    if (word >> 30 != 3 || word & 0x2000 || operation < ALTERNATE_STORES || operation > LAST_STORE)
        return 0;
    if (operation == DOUBLE_STORE)
        value = value << 32 | registers[result | 1];
    if (inst_is_among(flush_spaces, sizeof flush_spaces, space)) {
        unsigned what = address >> 8 & 15;
        if (what < sizeof flushed / sizeof *flushed)
            inst_report_event(TLBI, flushed[what], 1, address & ~0xfffu, pc);
        return 1;
    }
    if (inst_is_among(register_spaces, sizeof register_spaces, space)) {
        unsigned what = address >> 8 & 31;
        if (what < sizeof register_names / sizeof *register_names)
            inst_report_event(SYSREG, register_names[what], 1, value, pc);
        return 1;
    }
    return 0;
}

/* Report the event of an instruction; return whether it is one. */
static int inst_is_event(uint32_t word, const uint32_t *registers, inst_address pc)
{
    for (unsigned n = 0; n < sizeof event_words / sizeof *event_words; n++)
        if ((word & event_words[n].mask) == event_words[n].match) {
            inst_report_event(BARRIER, event_words[n].text, 0, 0, pc);
            return 1;
        }
    return inst_is_control(word, registers, pc);
}

#endif
