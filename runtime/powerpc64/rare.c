/* Accesses that no ordinary entry can report: multiple, string, conditional and block forms,
   vectors, prefixed instructions, and sites that had no register to spare. */
#include "../calls.h"
#include "../report_access.h"

#include "../process.h"
#include "../powerpc/lookup.h"
#include "../powerpc/numbered.h"
#include "../powerpc/singles.h"
#include "../powerpc/system_events.h"
#include "vectors.h"
#include <opcodes.h>

/* As runtime/powerpc64/rare.s.j2 stores them. */
struct inst_saved {
    uint64_t general[32];
    uint64_t condition, exception;
};

enum { REACH = 10, LINE = 128 };
enum { FRAME = INST_SITE_FRAME, SLOT = INST_SITE_SLOT, LINK_SLOT = INST_SITE_LINK_SLOT };
/* Of an access: the linker may have made an addition of it; it orders threads. */
enum { TABLE = INST_SITE_TABLE, ORDERED = INST_SITE_ORDERED };
enum { LOAD_DOUBLE = 58, PREFIXED_LOAD_DOUBLE = 57, TOC = 2 };
enum { DATA_CACHE_BLOCK = 19, HARDWARE = 16 };

/* An instruction that was found near a probe. */
struct found {
    const struct access *access;
    const uint32_t *at;         /* its first word */
    uint32_t word;              /* the one with the registers */
    int ahead;                  /* it has not run yet */
};

/* Return the word at an address, or before it if `behind`. */
static struct found look(const uint32_t *at, int behind)
{
    const uint32_t *last = behind ? at - 1 : at;
    uint32_t prefix = prefix_at(behind ? at - 2 : at);
    if (prefix && !behind)
        last++;
    return (struct found){ prefixed_access_of(prefix, *last), prefix ? last - 1 : last, *last,
                           !behind };
}

/* The code around the call of a site without a free register: see inst/arch/powerpc/rewrite/site.py. */
static int is_frame(uint32_t word)
{
    return word == (62u << 26 | 1u << 21 | 1u << 16 | (0x10000u - FRAME) | 1);  /* stdu 1,-FRAME(1) */
}

static int is_slot(uint32_t word, unsigned primary, unsigned slot)
{
    return (word & 0xfc1fffff) == (primary << 26 | 1u << 16 | slot);
}

/* Undo for the decoder such a site's changes to r1 and the register that saves lr. */
static void unframe(struct inst_saved *registers, uint32_t word)
{
    registers->general[word >> 21 & 31] = *(uint64_t *)(registers->general[1] + SLOT);
    registers->general[1] += FRAME;
}

static struct found find_before(const uint32_t *at, struct inst_saved *registers)
{
    struct found found = { 0 };
    if (is_slot(at[0], 58, LINK_SLOT) && is_slot(at[2], 58, SLOT)) {   /* ld; mtlr; ld; addi */
        unframe(registers, at[2]);
        at += 4;
    }
    for (int n = 0; n < REACH && !found.access; n++)
        found = look(at + n, 0);
    return found;
}

/* The call is at[-1]; before it is the access itself or the computation of its address. */
static struct found find_after(const uint32_t *at, struct inst_saved *registers)
{
    struct found found = look(at - 1, 1);
    for (int n = 2; n < REACH; n++)
        if (is_frame(at[-n]) && is_slot(at[-n + 1], 62, SLOT)) {
            unframe(registers, at[-n + 1]);
            return found.access ? found : look(at - n, 1);
        }
    for (int n = 2; n < REACH && !found.access; n++)
        found = look(at - n, 1);
    return found;
}

static void report(const struct access *access, unsigned size, inst_address address,
                   inst_address pc, uint64_t value, uint64_t second)
{
    if (access->stores)
        inst_report_store(size, address, pc, value, second);
    else
        inst_report_load(size, address, pc, value, second);
}

static uint64_t reversed(uint64_t value, unsigned size)
{
    uint64_t result = 0;
    for (unsigned n = 0; n < size; n++, value >>= 8)
        result = result << 8 | (value & 255);
    return result;
}

/* Return the number of a VSX register: 32 and above are the vector registers. */
static unsigned register_number(const struct access *access, uint32_t word)
{
    unsigned field = word >> 21 & 31;
    switch (access->bank) {
    case HIGH:
        return field + 32;
    case BY_BIT_0:
        return field + 32 * (word & 1);
    case BY_BIT_3:
        return field + 32 * (word >> 3 & 1);
    case EVEN:
    case BY_BIT_26:
        return (field & 30) + 32 * (field & 1);
    }
    return field;
}

/* Report 16 bytes that lie in a VSX register in some order of elements. */
static void report_register(const struct found *found, unsigned number, inst_address address,
                            inst_address pc)
{
    uint64_t halves[2];
    inst_vector_image(number, found->access->value, halves);
    report(found->access, 16, address, pc, halves[0], halves[1]);
}

static uint64_t scalar_value(const struct found *found, inst_address address)
{
    const struct access *access = found->access;
    unsigned number = register_number(access, found->word);
    uint64_t halves[2];
    if (access->value == ELEMENT) {
        inst_vector_image(number, WHOLE, halves);
        uint64_t value = 0;
        for (unsigned n = 0; n < access->size; n++) {
            unsigned byte = INST_LITTLE ? access->size - 1 - n : n;
            value = value << 8 | ((unsigned char *)halves)[(address & 15) + byte];
        }
        return value;
    }
    inst_vector_register(number, halves);
    if (access->value == FLOAT && access->size == 4)
        return single_of(halves[0]);
    if (access->value == FIRST_HIGH)
        return halves[0] >> (64 - 8 * access->size);
    return access->value == SECOND ? halves[1] : halves[0];
}

static void report_simple(const struct found *found, inst_address address, inst_address pc,
                          const struct inst_saved *registers)
{
    const struct access *access = found->access;
    unsigned size = access->size;
    if (size == 32 || size == 16) {
        unsigned number = register_number(access, found->word);
        if (access->bank == HIGH && access->value == WHOLE && found->word >> 26 == 31)
            address &= ~(inst_address)15;       /* lvx, stvx */
        /* Of a pair the register that comes first in memory is the second one where numbers are
           little-endian. */
        if (size == 32) {
            if (inst_report_several(size, access->stores, address, pc, 0))
                return;
            report_register(found, number + INST_LITTLE, address, pc);
            report_register(found, number + !INST_LITTLE, address + 16, pc);
        } else {
            report_register(found, number, address, pc);
        }
        return;
    }
    if (access->value == ELEMENT)
        address &= ~(inst_address)(size - 1);
    uint64_t value = access->value > REVERSED ? scalar_value(found, address)
                                              : registers->general[found->word >> 21 & 31];
    if (found->ahead && !access->stores && access->value <= REVERSED
        && inst_uses_stack(found->word))
        value = inst_memory_at(address, size);
    else if (access->value == REVERSED)
        value = reversed(value, size);
    report(access, size, address, pc, value, 0);
}

static void report_pair(const struct found *found, inst_address address, inst_address pc,
                        const struct inst_saved *registers)
{
    /* Where numbers are little-endian, lq has the first half of memory in the second register, and
       plq in the first (Power ISA 3.1, book I, 3.3.4). */
    int second = INST_LITTLE && !prefix_at(found->at);
    const uint64_t *pair = &registers->general[found->word >> 21 & 30];
    report(found->access, 16, address, pc, pair[second], pair[!second]);
}

static void report_multiple(const struct found *found, inst_address address, inst_address pc,
                            const struct inst_saved *registers)
{
    unsigned number = found->word >> 21 & 31;
    if (inst_report_several(4 * (32 - number), found->access->stores, address, pc,
                            registers->general))
        return;
    for (; number < 32; number++, address += 4)
        report(found->access, 4, address, pc, (uint32_t)registers->general[number], 0);
}

/* Words while four bytes are left, then single bytes. */
static void report_string(const struct found *found, inst_address address, inst_address pc,
                          const struct inst_saved *registers)
{
    uint32_t word = found->word;
    unsigned number = word >> 21 & 31, count = registers->exception & 127;
    if (found->access->form == COUNTED)
        count = (word >> 11 & 31) ? word >> 11 & 31 : 32;
    if (inst_report_several(count, found->access->stores, address, pc, registers->general))
        return;
    for (; count >= 4; count -= 4, address += 4, number = (number + 1) & 31)
        report(found->access, 4, address, pc, (uint32_t)registers->general[number], 0);
    uint32_t value = registers->general[number];
    for (; count; count--, address++, value <<= 8)
        report(found->access, 1, address, pc, value >> 24, 0);
}

/* lxvl and its kin: the highest byte of a register is the number of bytes. */
static void report_length(const struct found *found, inst_address address, inst_address pc,
                          const struct inst_saved *registers)
{
    unsigned count = registers->general[found->word >> 11 & 31] >> 56;
    uint64_t halves[2];
    inst_vector_image(register_number(found->access, found->word), found->access->value, halves);
    if (count >= 16)
        report(found->access, 16, address, pc, halves[0], halves[1]);
    else
        for (unsigned n = 0; n < count; n++)
            report(found->access, 1, address + n, pc, ((unsigned char *)halves)[n], 0);
}

static void report_conditional(const struct found *found, inst_address address, inst_address pc,
                               const struct inst_saved *registers, int ordered)
{
    if (!(registers->condition & 0x20000000))
        return;
    inst_report_order(found->access->size, address, ordered ? "acquire" : "relaxed");
    if (found->access->size == 16)
        report_pair(found, address, pc, registers);
    else
        report_simple(found, address, pc, registers);
}

/* Return an entry of the auxiliary vector, or 0. */
static uint64_t auxiliary(uint64_t wanted)
{
    uint64_t entries[128];
    long length = inst_read_file("/proc/self/auxv", (char *)entries, sizeof entries);
    for (long n = 0; n + 15 < length; n += 16)
        if (entries[n / 8] == wanted)
            return entries[n / 8 + 1];
    return 0;
}

/* Return how many bytes dcbz clears. */
static unsigned line_size(void)
{
    static unsigned known;
    if (!known) {
        unsigned size = auxiliary(DATA_CACHE_BLOCK);
        known = size ? size : LINE;
    }
    return known;
}

/* A load from the table of contents, or what the linker replaced it by; it is right before
   the call. The linker may also have made the TOC pointer its base. */
static void report_table(const uint32_t *at, inst_address base,
                         const struct inst_saved *registers)
{
    uint32_t word = at[-2], prefix = prefix_at(at - 3);
    unsigned index = word >> 16 & 31;
    uint64_t value = registers->general[word >> 21 & 31];
    if (!index)
        base = 0;
    if (index == TOC)
        base = registers->general[TOC];
    if (prefix && word >> 26 == PREFIXED_LOAD_DOUBLE) {
        inst_address pc = (inst_address)(at - 3);
        uint64_t field = (uint64_t)(prefix & 0x3ffff) << 16 | (word & 0xffff);
        int64_t distance = (int64_t)(field << 30) >> 30;
        inst_report_load(8, (prefix >> 20 & 1 ? pc : base) + distance, pc, value, 0);
    } else if (!prefix && word >> 26 == LOAD_DOUBLE && !(word & 3)) {
        inst_report_load(8, base + (int16_t)(word & 0xfffc), (inst_address)(at - 2), value, 0);
    }
}

static int is_call(uint32_t word)
{
    return word == WORD_SC || (word & MASK_SCV) == WORD_SCV;
}

/* A system call's site always has a frame: it holds lr and the register that saves lr. */
static int is_system_call(const uint32_t *at, int after)
{
    if (after)      /* sc; stdu; std; mflr; std; bl */
        return is_call(at[-6]) && is_frame(at[-5]) && is_slot(at[-4], 62, SLOT);
    return is_slot(at[0], 58, LINK_SLOT) && is_slot(at[2], 58, SLOT) && is_call(at[4]);
}

/* `sc` returns an error's number with a bit of the condition register, `scv` its negation (Linux,
   Documentation/powerpc/syscall64-abi.rst). */
static void report_call(const uint32_t *at, const struct inst_saved *registers, int after)
{
    enum { FAILED = 0x10000000, LAST_ERROR = 4095 };
    long arguments[INST_ARGUMENTS], result = registers->general[3];
    inst_address stack = registers->general[1] + FRAME;
    for (unsigned n = 0; n < INST_ARGUMENTS; n++)
        arguments[n] = registers->general[3 + n];
    if (after && at[-6] != WORD_SC) {
        int failed = result < 0 && result >= -LAST_ERROR;
        inst_call_returned(stack, failed ? -result : result, failed);
    } else if (after)
        inst_call_returned(stack, result, (registers->condition & FAILED) != 0);
    else
        inst_call_instruction(stack, registers->general[0], arguments);
}

/* Report the event of an instruction without an access, whose site is like that before `sc`; return whether
   it is one. */
static int is_event(const uint32_t *at, struct inst_saved *registers)
{
    const struct event_word *found = 0;
    if (is_slot(at[0], 58, LINK_SLOT) && is_slot(at[2], 58, SLOT))
        found = inst_event_of(at[4]);
    if (!found)
        return 0;
    unframe(registers, at[2]);
    inst_report_word(found, at[4], registers->general, (inst_address)(at + 4));
    return 1;
}

void inst_rare(struct inst_saved *registers, inst_address address, inst_address link,
               int after)
{
    const uint32_t *at = (const uint32_t *)link;
    int ordered = after & ORDERED;
    after &= ~ORDERED;
    if (after == TABLE) {
        report_table(at, address, registers);
        return;
    }
    if (is_system_call(at, after)) {
        report_call(at, registers, after);
        return;
    }
    if (!after && is_event(at, registers))
        return;
    struct found found = after ? find_after(at, registers) : find_before(at, registers);
    if (!found.access)
        return;
    inst_address pc = (inst_address)found.at;
    int before = inst_begin_recorded(ordered || found.access->form != SIMPLE);
    switch (found.access->form) {
    case SIMPLE:
        if (ordered)
            inst_report_order(found.access->size, address, after ? "acquire" : "release");
        report_simple(&found, address, pc, registers);
        break;
    case PAIR:
        report_pair(&found, address, pc, registers);
        break;
    case MULTIPLE:
        report_multiple(&found, address, pc, registers);
        break;
    case COUNTED:
    case INDEXED_STRING:
        report_string(&found, address, pc, registers);
        break;
    case LENGTH:
        report_length(&found, address, pc, registers);
        break;
    case RESERVE:
        inst_report_order(found.access->size, address, ordered ? "release" : "relaxed");
        inst_report_reservation(found.access->size, address, pc);
        break;
    case CONDITIONAL:
        report_conditional(&found, address, pc, registers, ordered);
        break;
    case BLOCK:
        inst_report_block(line_size(), address & ~(inst_address)(line_size() - 1), pc);
        break;
    }
    inst_end_recorded(before);
}

/* What the machine has besides general and floating-point registers: 0 nothing, or not known
   before the program's start or the constructor has asked the kernel; -1 vector registers; 1 VSX, too, which little-endian
   programs can rely on (64-Bit ELF V2 ABI, 1.2, "Processor Architecture Compatibility"). */
int32_t inst_has_vectors = INST_LITTLE;

void inst_find_vectors(uintptr_t hardware)
{
    enum { VECTORS = 0x10000000, VSX = 0x00000080 };
    inst_has_vectors = hardware & VSX ? 1 : hardware & VECTORS ? -1 : 0;
}

__attribute__((constructor(101))) static void find_vectors(void)
{
    inst_find_vectors(auxiliary(HARDWARE));
}
