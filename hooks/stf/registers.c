/* The registers that an access implies, by the word of its instruction. */
#include "stf.h"

#include <powerpc/singles.h>
#include <stf_words.h>

enum { EXTENDED = 31 };
enum { LITTLE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };    /* `high` is first in memory */

const struct form *stf_form_of(struct instruction instruction)
{
    uint32_t word = instruction.word, primary = word >> 26;
    if (instruction.prefix)
        return &forms[prefixed_places[(instruction.prefix >> 23 & 7) << 6 | primary]];
    return &forms[places[primary == EXTENDED ? word >> 1 & 1023
                                             : 1024 + (primary << 4 | (word & 15))]];
}

static void add(struct line *line, uint32_t number, uint64_t value)
{
    line->held[line->count++] = (struct held){ number, value };
}

/* Return a register's value in a line, or `otherwise` if the line does not name it; 32 bits of
   each register of several. */
static inst_address value_in(const struct line *line, uint32_t number, inst_address otherwise)
{
    for (unsigned n = 0; n < line->count; n++)
        if (line->held[n].number == number)
            return line->held[n].value;
    return ((number - line->first) & 31) < line->several ? line->general[number] : otherwise;
}

static int names(const struct line *line, uint32_t number)
{
    return value_in(line, number, 0) == value_in(line, number, 1);
}

static uint64_t reversed(uint64_t value, unsigned size)
{
    uint64_t result = 0;
    for (unsigned n = 0; n < size; n++, value >>= 8)
        result = result << 8 | (value & 255);
    return result;
}

/* Add what the data register holds for a value in memory. */
static void add_data(struct line *line, const struct form *form, uint32_t number,
                     const struct access *access)
{
    unsigned size = access->kind & (STORES - 1);
    switch (form->bank) {
    case GENERAL:
        if (size == 16) {
            int swapped = LITTLE && !(form->flags & ASCENDING);
            add(line, number, swapped ? access->low : access->high);
            add(line, (number + 1) & 31, swapped ? access->high : access->low);
        } else if (form->flags & REVERSED) {
            add(line, number, reversed(access->low, size));
        } else if (form->flags & ALGEBRAIC) {
            add(line, number, size == 2 ? (int16_t)access->low : (int32_t)access->low);
        } else {
            add(line, number, access->low);
        }
        break;
    case SINGLE:
        add(line, FLOATING + number, double_of(access->low));
        break;
    case DOUBLE:
    case INTEGER_BITS:
        add(line, FLOATING + number, access->low);
        break;
    }
}

/* Name the one register that an address is in; a stored value may have named its lower bytes. */
static void add_only(struct line *line, uint32_t number, inst_address value)
{
    for (unsigned n = 0; n < line->count; n++)
        if (line->held[n].number == number) {
            line->held[n].value = value;
            return;
        }
    if (!names(line, number))
        add(line, number, value);
}

/* Split an address between base and index, so that their sum is right. */
static void add_sum(struct line *line, uint32_t base, uint32_t index, inst_address sum)
{
    if (base == index) {
        add_only(line, base, sum / 2);
    } else if (names(line, base)) {
        add_only(line, index, sum - value_in(line, base, 0));
    } else {
        inst_address other = value_in(line, index, 0);
        add_only(line, index, other);
        add(line, base, sum - other);
    }
}

/* The displacement of two words has 34 bits. */
static inst_address displacement_of(struct instruction instruction, const struct form *form)
{
    if (!instruction.prefix)
        return (int16_t)(instruction.word & form->displacement);
    uint64_t high = instruction.prefix & 0x3ffff, low = instruction.word & 0xffff;
    return (int64_t)((high << 16 | low) << 30) >> 30;
}

static void add_address(struct line *line, const struct form *form,
                        struct instruction instruction, inst_address address)
{
    enum { RELATIVE = 1 << 20 };        /* to the instruction, not to a register */
    uint32_t word = instruction.word, base = word >> 16 & 31, index = word >> 11 & 31;
    inst_address displacement = displacement_of(instruction, form);
    if (instruction.prefix & RELATIVE)
        return;
    if (form->flags & INDEXED && base)
        add_sum(line, base, index, address);
    else if (form->flags & INDEXED || base)
        add_only(line, base ? base : index, address - displacement);
}

/* Whether it names floating-point registers and no other. */
static int only_floating(const struct line *line)
{
    return line->count && line->held[line->count - 1].number >= FLOATING;
}

void stf_add_thread_pointer(struct line *line)
{
    static const char name[] = INST_THREAD_REGISTER;
    register uintptr_t pointer __asm__(INST_THREAD_REGISTER);
    __asm__("" : "=r"(pointer));
    add(line, name[2] ? (name[1] - '0') * 10 + name[2] - '0' : name[1] - '0', pointer);
}

void stf_imply(struct implied *implied, const struct form *form, struct instruction instruction,
               const struct access *access)
{
    uint32_t word = instruction.word, number = word >> 21 & 31;
    int stores = access->kind & STORES;
    implied->before.count = implied->before.several = implied->length = 0;
    implied->after.count = implied->after.several = 0;
    if (!(form->flags & IS_ACCESS))
        return;
    struct line *data = stores ? &implied->before : &implied->after;
    if (access->general) {
        data->general = access->general;
        data->first = number;
        data->several = ((access->kind & (STORES - 1)) + 3) / 4;
    } else if (access->valued) {
        add_data(data, form, number, access);
    }
    add_address(&implied->before, form, instruction, access->address);
    if (only_floating(&implied->before)) /* a line of these alone would be the last instruction's */
        stf_add_thread_pointer(&implied->before);
    if (form->flags & UPDATES)
        add_only(&implied->after, word >> 16 & 31, access->address);
    if (form->flags & LENGTH_IN_XER)
        implied->length = access->kind & (STORES - 1);
}
