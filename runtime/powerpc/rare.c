/* Accesses that no ordinary entry can report: multiple, string, conditional and block forms,
   vectors, and sites that had no register to spare. */
#include "../calls.h"
#include "../report_access.h"

#include "../process.h"
#include "lookup.h"
#include "numbered.h"
#include "singles.h"
#include "system_events.h"
#include <opcodes.h>

/* As runtime/powerpc/rare.s.j2 stores them. */
struct inst_saved {
    uint32_t general[32];
    uint32_t condition, exception;
};

enum { REACH = 7, LINE = 32, DATA_CACHE_BLOCK = 19 };
/* The frames of sites without a free register, the second where r13 is not free either. */
enum { FRAME = INST_SITE_SHORT_FRAME, SLOT = INST_SITE_SHORT_SLOT };
enum { LONG_FRAME = INST_SITE_FRAME, LONG_SLOT = INST_SITE_SLOT };
enum { LINK_SLOT = INST_SITE_LINK_SLOT, ADDRESS_SLOT = INST_SITE_ADDRESS_SLOT };

static uint32_t hardware(void)
{
    enum { HARDWARE = 16 };
    uint32_t entries[128];
    long length = inst_read_file("/proc/self/auxv", (char *)entries, sizeof entries);
    for (long n = 0; n + 7 < length; n += 8)
        if (entries[n / 4] == HARDWARE)
            return entries[n / 4 + 1];
    return 0;
}

int inst_has_spe(void)
{
    enum { WIDE_REGISTERS = 0x00800000, KNOWN = 2 };
    static int state;
    if (!state)
        state = KNOWN | ((hardware() & WIDE_REGISTERS) != 0);
    return state & 1;
}

const char *inst_architecture(void)
{
    return inst_has_spe() ? "ppcspe" : "ppc";
}

/* The code around the call of a site without a free register: see inst/arch/powerpc/rewrite/probes.py, and
   inst/arch/powerpc/rewrite/site.py for code that uses small data, whose sites save lr in memory. */
static int is_frame(uint32_t word)
{
    enum { PUSH = 37u << 26 | 1u << 21 | 1u << 16 };    /* stwu 1,...(1) */
    return word == (PUSH | (0x10000u - FRAME)) || word == (PUSH | (0x10000u - LONG_FRAME));
}

static int is_at(uint32_t word, unsigned primary, unsigned offset)
{
    return (word & 0xfc1fffff) == (primary << 26 | 1u << 16 | offset);
}

static int is_slot(uint32_t word, unsigned primary)
{
    return is_at(word, primary, SLOT) || is_at(word, primary, LONG_SLOT);
}

/* Undo for the decoder such a site's changes to %r1 and the register that saves lr. */
static void unframe(struct inst_saved *registers, uint32_t word)
{
    unsigned slot = word & 0xffff;
    registers->general[word >> 21 & 31] = *(uint32_t *)(registers->general[1] + slot);
    registers->general[1] += slot == SLOT ? FRAME : LONG_FRAME;
}

/* Return how many words after a call remove its frame: 3 (mtlr; lwz; addi), 4 where lr comes from
   memory, or 0. */
static int length_behind(const uint32_t *at)
{
    if ((at[0] & 0xfc1fffff) == WORD_MTLR && is_slot(at[1], 32))
        return 3;
    return is_at(at[0], 32, LINK_SLOT) && is_slot(at[2], 32) ? 4 : 0;
}

static const uint32_t *find_before(const uint32_t *at, struct inst_saved *registers)
{
    int framed = length_behind(at);
    if (framed) {
        unframe(registers, at[framed - 2]);
        return at + framed;
    }
    for (int n = 0; n < REACH; n++)
        if (access_at(at + n))
            return at + n;
    return 0;
}

/* Whether a word loads a part of the address from the frame: its back chain, or its slot. */
static int reads_frame(uint32_t word)
{
    return is_at(word, 32, 0) || is_slot(word, 32);
}

/* The call is at[-1]; before it is the access itself or the computation of its address. */
static const uint32_t *find_after(const uint32_t *at, struct inst_saved *registers)
{
    int waits = is_at(at[-2], 32, ADDRESS_SLOT) && is_slot(at[-3], 36);
    for (int n = 4; n <= REACH + (waits ? 5 : 1); n++) {
        if (!is_frame(at[-n]) || !is_slot(at[-n + 1], 36))
            continue;
        if (waits) {
            unframe(registers, at[-n + 1]);
            return at - 4;
        }
        int kept = is_at(at[-n + 3], 36, LINK_SLOT), carrier = at[-n + 1] >> 21 & 31;
        unframe(registers, at[-n + 1]);
        int made = kept && access_at(at - 2)
                   && !(reads_frame(at[-2]) && (at[-2] >> 21 & 31) == carrier);
        if (made)
            return at - 2;
        return access_at(at - n - 1) ? at - n - 1 : at - n - 2;
    }
    for (int n = 2; n <= REACH; n++)
        if (access_at(at - n))
            return at - n;
    return 0;
}

/* The upper half of a general register of SPE: only SPE's instructions access it, and this
   is the only one in the runtime. */
static uint32_t upper_half(unsigned number)
{
    uint32_t room[3];
    uintptr_t place = (uintptr_t)room + 7;
    __asm__("" : "+r"(place));
    uint32_t *halves = (uint32_t *)(place & -(uintptr_t)8);
    switch (number) {
#define CASE(N)                                                                             \
    case N:                                                                                 \
        __asm__ __volatile__(".machine push\n\t.machine spe\n\tevstdd " #N ", 0(%0)\n\t"    \
                             ".machine pop" : : "b"(halves) : "memory");                    \
        break;
        EACH_OF_32(CASE)
#undef CASE
    }
    return halves[0];
}

/* What an SPE access loaded or stored, from both halves of its register. */
static uint64_t wide_value(const struct access *access, uint32_t upper, uint32_t lower)
{
    uint32_t kept = access->size == 2 ? 0xffff : 0xffffffff;
    switch (access->value) {
    case WIDE_EVEN:
        return ((upper & 0xffff0000) | lower >> 16) & kept;
    case WIDE_ODD:
        return (upper << 16 | (lower & 0xffff)) & kept;
    case WIDE_UPPER:
        return upper;
    case WIDE_LOWER:
        return lower;
    }
    return (uint64_t)upper << 32 | lower;
}

static void report(const struct access *access, unsigned size, inst_address address,
                   inst_address pc, uint64_t value, uint64_t low)
{
    if (access->stores)
        inst_report_store(size, address, pc, value, low);
    else
        inst_report_load(size, address, pc, value, low);
}

static uint32_t reversed(uint32_t value, unsigned size)
{
    value = value >> 24 | (value >> 8 & 0xff00) | (value & 0xff00) << 8 | value << 24;
    return size == 2 ? value >> 16 : value;
}

static void report_vector(const struct access *access, unsigned number, inst_address address,
                          inst_address pc)
{
    union {
        uint64_t halves[4];
        unsigned char bytes[16];
    } bits;
    unsigned size = access->size, at = address & (16 - size);
    uint32_t value = 0;
    address &= ~(inst_address)(size - 1);
    vector_register(number, bits.halves);
    for (unsigned n = 0; size < 16 && n < size; n++)
        value = value << 8 | bits.bytes[at + n];
    report(access, size, address, pc, size == 16 ? bits.halves[0] : value, bits.halves[1]);
}

static void report_simple(const struct access *access, uint32_t word, inst_address address,
                          inst_address pc, const struct inst_saved *registers, int after)
{
    unsigned number = word >> 21 & 31;
    if (access->value >= WHOLE) {
        report_vector(access, number, address, pc);
    } else if (access->value >= WIDE && access->value < FLOAT) {
        uint64_t value = wide_value(access, upper_half(number), registers->general[number]);
        report(access, access->size, address, pc, value, 0);
    } else if (access->value >= FLOAT) {
        uint64_t value = float_register(number);
        if (access->size == 4 && access->value == FLOAT)
            value = single_of(value);
        report(access, access->size, address, pc, value, 0);
    } else {
        uint32_t value = registers->general[number];
        if (!after && !access->stores && inst_uses_stack(word))
            value = inst_memory_at(address, access->size);
        else if (access->value == REVERSED)
            value = reversed(value, access->size);
        report(access, access->size, address, pc, value, 0);
    }
}

static void report_multiple(const struct access *access, uint32_t word, inst_address address,
                            inst_address pc, const struct inst_saved *registers)
{
    unsigned number = word >> 21 & 31;
    if (inst_report_several(4 * (32 - number), access->stores, address, pc,
                            registers->general))
        return;
    for (; number < 32; number++, address += 4)
        report(access, 4, address, pc, registers->general[number], 0);
}

/* Words while four bytes are left, then single bytes. */
static void report_string(const struct access *access, uint32_t word, inst_address address,
                          inst_address pc, const struct inst_saved *registers)
{
    unsigned number = word >> 21 & 31, count = registers->exception & 127;
    if (access->form == COUNTED)
        count = (word >> 11 & 31) ? word >> 11 & 31 : 32;
    if (inst_report_several(count, access->stores, address, pc, registers->general))
        return;
    for (; count >= 4; count -= 4, address += 4, number = (number + 1) & 31)
        report(access, 4, address, pc, registers->general[number], 0);
    uint32_t value = registers->general[number];
    for (; count; count--, address++, value <<= 8)
        report(access, 1, address, pc, value >> 24, 0);
}

/* Return how many bytes dcbz clears, by the auxiliary vector. */
static unsigned line_size(void)
{
    static unsigned known;
    uint32_t entries[128];
    if (known)
        return known;
    unsigned size = LINE;
    long length = inst_read_file("/proc/self/auxv", (char *)entries, sizeof entries);
    for (long n = 0; n + 7 < length; n += 8)
        if (entries[n / 4] == DATA_CACHE_BLOCK && entries[n / 4 + 1])
            size = entries[n / 4 + 1];
    return known = size;
}

/* At `sc` the code around the call is that of any site, or a frame that saves lr. */
static int is_system_call(const uint32_t *at, int after, struct inst_saved *registers)
{
    if (!after) {
        int framed = length_behind(at);
        if (at[framed] != WORD_SC)
            return 0;
        if (framed)
            unframe(registers, at[framed - 2]);
        return 1;
    }
    for (int n = 4; n <= 5; n++)
        if (is_frame(at[-n]) && is_slot(at[-n + 1], 36) && at[-n - 1] == WORD_SC) {
            unframe(registers, at[-n + 1]);
            return 1;
        }
    return at[-2] == WORD_SC;
}

/* Report the event of an instruction without an access, whose site is like that before `sc`; return whether
   it is one. */
static int is_event(const uint32_t *at, struct inst_saved *registers)
{
    int framed = length_behind(at);
    const struct event_word *found = inst_event_of(at[framed]);
    if (!found)
        return 0;
    if (framed)
        unframe(registers, at[framed - 2]);
    inst_report_word(found, at[framed], registers->general, (inst_address)(at + framed));
    return 1;
}

static void report_call(const struct inst_saved *registers, inst_address stack, int after)
{
    enum { FAILED = 0x10000000 };
    long arguments[INST_ARGUMENTS], result = registers->general[3];
    for (unsigned n = 0; n < INST_ARGUMENTS; n++)
        arguments[n] = registers->general[3 + n];
    if (after)
        inst_call_returned(stack, result, (registers->condition & FAILED) != 0);
    else
        inst_call_instruction(stack, registers->general[0], arguments);
}

/* A load from the GOT, before the call and a frame: the linker may have made another
   instruction of it. */
static void report_table(const uint32_t *link, inst_address base, struct inst_saved *registers)
{
    enum { LOAD_WORD = 32 };
    int framed = is_slot(link[-3], 36) && is_frame(link[-4]);
    const uint32_t *at = link - (framed ? 5 : 2);
    if (framed)
        unframe(registers, link[-3]);
    if (*at >> 26 == LOAD_WORD)
        inst_report_load(4, base + (int16_t)(*at & 0xffff), (inst_address)at,
                         registers->general[*at >> 21 & 31], 0);
}

void inst_rare(struct inst_saved *registers, inst_address address, inst_address link,
               int after)
{
    enum { TABLE = INST_SITE_TABLE, ORDERED = INST_SITE_ORDERED };
    int ordered = after & ORDERED;
    after &= ~ORDERED;
    if (after == TABLE) {
        report_table((const uint32_t *)link, address, registers);
        return;
    }
    if (is_system_call((const uint32_t *)link, after, registers)) {
        report_call(registers, registers->general[1], after);
        return;
    }
    if (!after && is_event((const uint32_t *)link, registers))
        return;
    const uint32_t *at = after ? find_after((const uint32_t *)link, registers)
                               : find_before((const uint32_t *)link, registers);
    if (!at)
        return;
    uint32_t word = *at;
    inst_address pc = (inst_address)at;
    const struct access *access = access_at(at);
    int before = inst_begin_recorded(ordered || (access && access->form != SIMPLE));
    switch (access ? access->form : -1) {
    case SIMPLE:
        if (ordered)
            inst_report_order(access->size, address, after ? "acquire" : "release");
        report_simple(access, word, address, pc, registers, after);
        break;
    case MULTIPLE:
        report_multiple(access, word, address, pc, registers);
        break;
    case COUNTED:
    case INDEXED_STRING:
        report_string(access, word, address, pc, registers);
        break;
    case RESERVE:
        inst_report_order(access->size, address, ordered ? "release" : "relaxed");
        inst_report_reservation(access->size, address, pc);
        break;
    case CONDITIONAL:
        if (registers->condition & 0x20000000) {
            inst_report_order(access->size, address, ordered ? "acquire" : "relaxed");
            report_simple(access, word, address, pc, registers, after);
        }
        break;
    case BLOCK:
        inst_report_block(line_size(), address & ~(inst_address)(line_size() - 1), pc);
        break;
    }
    inst_end_recorded(before);
}

/* Whether the machine has vector registers: 0 until the program's start or the constructor has asked
   the kernel. */
uint32_t inst_has_vectors;

#ifndef INST_BARE
void inst_find_vectors(uintptr_t hardware)
{
    enum { VECTORS = 0x10000000 };
    inst_has_vectors = (hardware & VECTORS) != 0;
}

__attribute__((constructor(101))) static void find_vectors(void)
{
    inst_find_vectors(hardware());
}
#endif
