/* Accesses that no ordinary entry can report: atomics, %fsr, alternate spaces. */
#include "../calls.h"
#include "../report_access.h"
#include "decode.h"
#include "floats.h"
#include "instead.h"
#include "system_events.h"
#include <accesses.h>

/* As runtime/sparc/rare.s.j2 stores them: in the order of register numbers. */
struct inst_saved {
    uint32_t integer[32];
};

enum { AFTER = INST_SITE_AFTER, KEPT = INST_SITE_KEPT, TABLE = INST_SITE_TABLE,
       ORDERED = INST_SITE_ORDERED, REACH = 5 };
enum { ADDRESS = INST_SITE_ADDRESS, LINK = INST_SITE_LINK, SP = 14, O7 = 15 };

static uint32_t float_state(void)
{
    uint32_t bits;
    __asm__ __volatile__("st %%fsr, [%0]" : : "r"(&bits) : "memory");
    return bits;
}

/* Return where the access of a site is; 0 if the linker has made an addition of it. */
static const uint32_t *find(inst_address link, int flags)
{
    const uint32_t *word = (const uint32_t *)link;
    int after = flags & AFTER;
    if (flags & TABLE) {        /* in the slot, or before the call and what saves %o7 */
        const uint32_t *at = word[1] != WORD_NOP ? word + 1 : word - 1 - (flags & KEPT ? 1 : 0);
        return *at >> 30 == 3 ? at : 0;
    }
    for (int n = 1; n <= REACH; n++) {
        const uint32_t *at = after ? word - n : word + n;
        if (*at >> 30 == 3)
            return after ? at : inst_runs(at);
    }
    return 0;
}

/* Return the address of an atomic access; its result register held `old` before. */
static uint32_t address_of(uint32_t word, const struct inst_saved *registers, uint32_t old)
{
    unsigned result = word >> 25 & 31, base = word >> 14 & 31, index = word & 31;
    uint32_t sum = base == result ? old : registers->integer[base];
    if ((word >> 19 & 63) == OP3_CASA)
        return sum;
    if (word & 0x2000)
        return sum + (uint32_t)((int32_t)(word << 19) >> 19);
    return sum + (index == result ? old : registers->integer[index]);
}

/* An atomic access orders like any other load and store of TSO: a release of what its thread did
   before it, an acquire of what others did after it.  An ldstub below the stack only waits. */
static void report_atomic_order(uint32_t word, inst_address address, const char *how)
{
    if ((word >> 14 & 31) != SP)
        inst_report_order((word >> 19 & 0x0f) == OP3_LDSTUB ? 1 : 4, address, how);
}

static void report_atomic(uint32_t word, inst_address pc, const struct inst_saved *registers,
                          uint32_t old)
{
    unsigned operation = word >> 19 & 63, result = word >> 25 & 31, second = word & 31;
    inst_address address = address_of(word, registers, old);
    uint32_t loaded = registers->integer[result];
    report_atomic_order(word, address, "acq_rel");
    int before = inst_begin_recorded(1);
    if (operation == OP3_CASA) {
        uint32_t wanted = second == result ? old : registers->integer[second];
        inst_report_load(4, address, pc, loaded, 0);
        if (loaded == wanted)
            inst_report_exchange(4, address, pc, old);
    } else if ((operation & 0x0f) == OP3_LDSTUB) {
        inst_report_load(1, address, pc, loaded, 0);
        inst_report_exchange(1, address, pc, 0xff);
    } else {
        inst_report_load(4, address, pc, loaded, 0);
        inst_report_exchange(4, address, pc, old);
    }
    inst_end_recorded(before);
}

/* Return whether 32-bit code for V9 uses a register that is not among the saved ones: one of 64
   bits, or %f32 and further, whose numbers are odd. */
static int is_extended(unsigned operation, unsigned number)
{
    unsigned plain = operation & ~OP3_ALTERNATE;
    if (accesses[operation].floats)
        return accesses[operation].size >= 8 && number & 1;
    return (plain == OP3_LDX || plain == OP3_STX) && number;
}

static uint64_t in_memory(inst_address address)
{
    const volatile uint32_t *at = (const volatile uint32_t *)address;
    return (uint64_t)at[0] << 32 | at[1];
}

static uint64_t value_of(unsigned operation, unsigned number, const struct inst_saved *registers,
                         uint64_t *low)
{
    unsigned size = accesses[operation].size, plain = operation & ~OP3_ALTERNATE;
    if (operation == OP3_LDFSR || operation == OP3_STFSR)
        return float_state();
    if (!accesses[operation].floats && (plain == OP3_LDX || plain == OP3_STX))
        return registers->integer[number];
    if (!accesses[operation].floats) {
        uint64_t first = registers->integer[number];
        return size == 8 ? first << 32 | registers->integer[number | 1] : first;
    }
    uint64_t first = inst_single(number);
    if (size == 4)
        return first;
    if (size == 16)
        *low = (uint64_t)inst_single(number + 2) << 32 | inst_single(number + 3);
    return first << 32 | inst_single(number + 1);
}

/* A site at `ta` is three words: %o7 to its register, call, nop. In integer[0] is the carry. */
enum { CALL_NUMBER = 1, FIRST_ARGUMENT = 8 };

static void report_call(const struct inst_saved *registers, int after)
{
    long arguments[INST_ARGUMENTS];
    uintptr_t stack = (uintptr_t)(registers + 1) + 8;
    long result = registers->integer[FIRST_ARGUMENT];
    for (unsigned n = 0; n < INST_ARGUMENTS; n++)
        arguments[n] = registers->integer[FIRST_ARGUMENT + n];
    if (after)
        inst_call_returned(stack, result, registers->integer[0] != 0);
    else
        inst_call_instruction(stack, registers->integer[CALL_NUMBER], arguments);
}

/* A site at an instruction without an access is as at `ta`. Report its event; return whether it is one. */
static int is_event(const uint32_t *at, struct inst_saved *registers, int flags)
{
    uint32_t carry = registers->integer[0];
    registers->integer[0] = 0;
    registers->integer[SP] = (uintptr_t)(registers + 1) + 8;
    if (flags & KEPT)
        registers->integer[O7] = registers->integer[LINK];
    int found = inst_is_event(*at, registers->integer, (inst_address)at);
    registers->integer[0] = carry;
    return found;
}

void inst_rare(struct inst_saved *registers, inst_address address, inst_address link,
               int flags)
{
    const uint32_t *call = (const uint32_t *)link + (flags & AFTER ? -2 : 2);
    if (is_system_call(*call)) {
        report_call(registers, flags & AFTER);
        return;
    }
    if (!(flags & (AFTER | TABLE)) && is_event(call, registers, flags))
        return;
    const uint32_t *at = find(link, flags);
    if (!at)
        return;
    registers->integer[0] = 0;
    registers->integer[SP] = (uintptr_t)(registers + 1) + 8;
    if (flags & KEPT)
        registers->integer[O7] = registers->integer[LINK];
    uint32_t word = *at;
    inst_address pc = (inst_address)inst_original(at);
    unsigned operation = word >> 19 & 63;
    /* A site lets an instruction whose result is %g0 load into the register of
       addresses instead. */
    int discards = (flags & AFTER) && (word >> 25 & 31) == ADDRESS && !accesses[operation].floats;
    uint32_t old = discards ? 0 : registers->integer[ADDRESS];
    unsigned plain = operation & ~OP3_ALTERNATE;
    if (operation == OP3_CASA || plain == OP3_LDSTUB || plain == OP3_SWAP) {
        if (flags & AFTER)
            report_atomic(word, pc, registers, old);
        else
            report_atomic_order(word, address_of(word, registers, registers->integer[word >> 25 & 31]),
                                "release");
        return;
    }
    if (discards)
        address = address_of(word, registers, old);
    uint64_t low = 0, value = 0;
    if (flags & AFTER && is_extended(operation, word >> 25 & 31)) {
        value = in_memory(address);
        low = accesses[operation].size == 16 ? in_memory(address + 8) : 0;
    } else if (accesses[operation].stores || flags & AFTER)
        value = value_of(operation, word >> 25 & 31, registers, &low);
    int before = inst_begin_recorded((flags & ORDERED) != 0);
    if (flags & ORDERED)
        inst_report_order(accesses[operation].size, address, flags & AFTER ? "acquire" : "release");
    if (accesses[operation].stores)
        inst_report_store(accesses[operation].size, address, pc, value, low);
    else
        inst_report_load(accesses[operation].size, address, pc, value, low);
    inst_end_recorded(before);
}
