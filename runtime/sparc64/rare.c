/* Accesses that no ordinary entry can report: atomics, pairs, quads, %fsr, alternate spaces. */
#include "../calls.h"
#include "../report_access.h"
#include "../sparc/decode.h"
#include "../sparc/floats.h"
#include "../sparc/instead.h"
#include <accesses.h>

/* As runtime/sparc64/rare.s.j2 stores them: in the order of register numbers, but that
   the first is %ccr where an entry saves that. */
struct inst_saved {
    uint64_t integer[32];
};

enum { AFTER = INST_SITE_AFTER, KEPT = INST_SITE_KEPT, TABLE = INST_SITE_TABLE,
       ORDERED = INST_SITE_ORDERED, REACH = 5 };
/* A site that saves %o7 has made a frame of FRAME bytes and stored it there, by this word. */
enum { FRAME = INST_SITE_FRAME, LINK = INST_SITE_LEAST, BIAS = INST_SITE_BIAS };
static const uint32_t keeps = INST_SITE_STORE_LINK + INST_SITE_PLACE;

enum { ADDRESS = INST_SITE_ADDRESS, SP = 14, O7 = 15 };

/* What an instruction does, decoded from its word. */
struct access {
    uint32_t word;
    unsigned operation;         /* op3, without what makes it an alternate space's */
    unsigned space;             /* 0x80 is the ordinary one */
    unsigned number;            /* the register loaded or stored */
    const struct row *row;      /* as in the ordinary space, and of the narrow %fsr */
};

/* The lowest bit of a wide register's number stands for 32. */
static unsigned wide_number(unsigned field)
{
    return (field & 0x1e) | (field & 1) << 5;
}

static uint64_t float_state(void)
{
    uint64_t bits;
    __asm__ __volatile__("stx %%fsr, [%0]" : : "r"(&bits) : "memory");
    return bits;
}

static unsigned space_register(void)
{
    uint64_t space;
    __asm__ __volatile__("rd %%asi, %0" : "=r"(space));
    return space & 0xff;
}

/* Return where the access of a site is; 0 if the linker has made an addition of it. */
static const uint32_t *find(inst_address link, int flags)
{
    const uint32_t *word = (const uint32_t *)link;
    int after = flags & AFTER;
    if (flags & TABLE) {        /* in the slot, or before the call and the frame made for %o7 */
        const uint32_t *at = word[1] != WORD_NOP ? word + 1 : word - 1 - (flags & KEPT ? 2 : 0);
        return *at >> 30 == 3 ? at : 0;
    }
    for (int n = 1; n <= REACH; n++) {
        const uint32_t *at = after ? word - n : word + n;
        if (*at >> 30 == 3 && !(after && *at == keeps))
            return after ? at : inst_runs(at);
    }
    return 0;
}

static struct access decode(uint32_t word)
{
    unsigned operation = word >> 19 & 63;
    struct access access = { word, operation, 0x80, word >> 25 & 31,
                             &accesses[operation] };
    if (operation == OP3_CASA || operation == OP3_CASXA || operation & OP3_ALTERNATE)
        access.space = word & 0x2000 ? space_register() : word >> 5 & 0xff;
    if (operation != OP3_CASA && operation != OP3_CASXA)
        access.operation &= ~OP3_ALTERNATE;
    return access;
}

/* Return the address of an access; its result register held `old` before. */
static uint64_t address_of(const struct access *access, const struct inst_saved *registers,
                           uint64_t old)
{
    uint32_t word = access->word;
    unsigned result = access->number, base = word >> 14 & 31, index = word & 31;
    uint64_t sum = base == result ? old : registers->integer[base];
    if (access->operation == OP3_CASA || access->operation == OP3_CASXA)
        return sum;
    if (word & 0x2000)
        return sum + (int64_t)((int32_t)(word << 19) >> 19);
    return sum + (index == result ? old : registers->integer[index]);
}

/* The compiler would call a function of libgcc, which a program may not have. */
static uint64_t turned(uint64_t value, unsigned size)
{
    uint64_t result = 0;
    for (; size; size--, value >>= 8)
        result = result << 8 | (value & 0xff);
    return result;
}

static uint64_t ordered(const struct access *access, unsigned size, uint64_t value)
{
    return spaces[access->space].little ? turned(value, size) : value;
}

static void tell(const struct access *access, unsigned size, inst_address address,
                 inst_address pc, uint64_t value, uint64_t low)
{
    value = size == 16 ? value : ordered(access, size, value);
    if (access->row->stores)
        inst_report_store(size, address, pc, value, low);
    else
        inst_report_load(size, address, pc, value, low);
}

static uint64_t ones(unsigned size)
{
    return size == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * size) - 1;
}

static unsigned atomic_size(const struct access *access)
{
    return access->operation == OP3_CASXA ? 8 : access->operation == OP3_LDSTUB ? 1 : 4;
}

/* An atomic access orders like any other load and store of TSO: a release of what its thread did
   before it, an acquire of what others did after it.  An ldstub below the stack only waits. */
static void report_atomic_order(const struct access *access, inst_address address, const char *how)
{
    if ((access->word >> 14 & 31) != SP)
        inst_report_order(atomic_size(access), address, how);
}

static void report_atomic(const struct access *access, inst_address pc,
                          const struct inst_saved *registers, uint64_t old)
{
    unsigned operation = access->operation, second = access->word & 31;
    unsigned size = atomic_size(access);
    inst_address address = address_of(access, registers, old);
    uint64_t loaded = registers->integer[access->number];
    int stored = 1;
    if (operation == OP3_CASA || operation == OP3_CASXA) {
        uint64_t wanted = second == access->number ? old : registers->integer[second];
        stored = size == 8 ? loaded == wanted : (uint32_t)loaded == (uint32_t)wanted;
    }
    report_atomic_order(access, address, "acq_rel");
    inst_report_load(size, address, pc, ordered(access, size, loaded), 0);
    if (stored)
        inst_report_exchange(size, address, pc,
                             operation == OP3_LDSTUB ? 0xff : ordered(access, size, old));
}

/* A partial store: the mask's bits stand for bytes, halfwords or words of the register, the first
   for the highest, which lies last in a little-endian space. */
static void report_partial(const struct access *access, inst_address pc,
                           const struct inst_saved *registers)
{
    const struct space *space = &spaces[access->space];
    unsigned size = space->size, count = 8 / size;
    uint64_t mask = registers->integer[access->word & 31];
    uint64_t value = inst_double(wide_number(access->number));
    inst_address address = registers->integer[access->word >> 14 & 31];
    for (unsigned n = 0; n < count; n++) {
        unsigned first = n * size, last = 8 - size - first;
        unsigned bit = space->little ? n : count - 1 - n;
        unsigned shift = space->little ? first : last;
        if (mask >> bit & 1)
            tell(access, size, address + first, pc, value >> 8 * shift & ones(size), 0);
    }
}

static void report_block(const struct access *access, inst_address address, inst_address pc)
{
    unsigned first = wide_number(access->number);
    for (unsigned n = 0; n < 16; n += 2)
        tell(access, 8, address + 4 * n, pc, inst_double(first + n), 0);
}

/* A doubleword of floating point in another space; return 0 if it is as in the ordinary one. */
static int report_in_space(const struct access *access, inst_address address, inst_address pc,
                           const struct inst_saved *registers)
{
    const struct space *space = &spaces[access->space];
    if (space->kind == IN_BLOCKS) {
        report_block(access, address, pc);
    } else if (space->kind == SHORT) {
        uint64_t value = inst_double(wide_number(access->number));
        tell(access, space->size, address, pc, value & ones(space->size), 0);
    } else if (space->kind == PARTIAL && access->row->stores) {
        report_partial(access, pc, registers);
    } else {
        return 0;
    }
    return 1;
}

static void report_pair(const struct access *access, inst_address address, inst_address pc,
                        const struct inst_saved *registers)
{
    uint64_t first = registers->integer[access->number];
    uint64_t second = registers->integer[access->number | 1];
    if (spaces[access->space].kind == TWIN && !access->row->stores)
        tell(access, 16, address, pc, ordered(access, 8, first), ordered(access, 8, second));
    else
        /* Of two little-endian words each is byte-reversed by itself. */
        tell(&(struct access){ .row = access->row }, 8, address, pc,
             ordered(access, 4, (uint32_t)first) << 32 | ordered(access, 4, (uint32_t)second), 0);
}

static void report_other(const struct access *access, inst_address address, inst_address pc,
                         const struct inst_saved *registers)
{
    unsigned size = access->row->size, number = access->number;
    if (access->operation == OP3_LDFSR || access->operation == OP3_STFSR) {
        size = number == 0 ? 4 : 8;
        uint64_t state = float_state();
        tell(access, size, address, pc, size == 4 ? (uint32_t)state : state, 0);
    } else if (!access->row->floats) {
        tell(access, size, address, pc, registers->integer[number], 0);
    } else if (size == 4) {
        tell(access, size, address, pc, inst_single(number), 0);
    } else if (size == 8) {
        tell(access, size, address, pc, inst_double(wide_number(number)), 0);
    } else {
        number = wide_number(number);
        tell(access, size, address, pc, ordered(access, 8, inst_double(number)),
             ordered(access, 8, inst_double(number + 2)));
    }
}

/* A site at `ta` is four words: two that save %o7, call, nop. */
enum { CALL_NUMBER = 1, FIRST_ARGUMENT = 8 };

/* The carry of 64-bit operations reports an error. */
static void report_call(const struct inst_saved *registers, int after)
{
    enum { CARRY = 0x10 };
    long arguments[INST_ARGUMENTS], result = registers->integer[FIRST_ARGUMENT];
    uintptr_t stack = (uintptr_t)(registers + 1) + FRAME;
    for (unsigned n = 0; n < INST_ARGUMENTS; n++)
        arguments[n] = registers->integer[FIRST_ARGUMENT + n];
    if (after)
        inst_call_returned(stack, result, (registers->integer[0] & CARRY) != 0);
    else
        inst_call_instruction(stack, registers->integer[CALL_NUMBER], arguments);
}

void inst_rare(struct inst_saved *registers, inst_address address, inst_address link,
               int flags)
{
    const uint32_t *call = (const uint32_t *)link + (flags & AFTER ? -3 : 2);
    if (!(flags & TABLE) && is_system_call(*call)) {
        report_call(registers, flags & AFTER);
        return;
    }
    const uint32_t *at = find(link, flags);
    if (!at)
        return;
    uintptr_t end = (uintptr_t)(registers + 1);
    registers->integer[0] = 0;
    registers->integer[SP] = end - BIAS + (flags & KEPT ? FRAME : 0);
    if (flags & KEPT)
        registers->integer[O7] = *(const uint64_t *)(end + LINK);
    struct access access = decode(*at);
    inst_address pc = (inst_address)inst_original(at);
    /* A site lets an instruction whose result is %g0 load into %g6 instead. */
    int discards = (flags & AFTER) && access.number == ADDRESS && !access.row->floats;
    uint64_t old = discards ? 0 : registers->integer[ADDRESS];
    int atomic = access.operation == OP3_CASA || access.operation == OP3_CASXA
                 || access.operation == OP3_LDSTUB || access.operation == OP3_SWAP;
    if (discards && !atomic)
        address = address_of(&access, registers, old);
    int is_wide = (access.operation == OP3_LDDF || access.operation == OP3_STDF) && access.space != 0x80;
    int before = inst_begin_recorded(flags & ORDERED || atomic || is_wide);
    if (flags & ORDERED && !atomic)
        inst_report_order(access.row->size, address, flags & AFTER ? "acquire" : "release");
    if (atomic && !(flags & AFTER))
        report_atomic_order(&access, address_of(&access, registers, registers->integer[access.number]),
                            "release");
    else if (atomic)
        report_atomic(&access, pc, registers, old);
    else if (access.operation == OP3_LDD || access.operation == OP3_STD)
        report_pair(&access, address, pc, registers);
    else if (!(is_wide && report_in_space(&access, address, pc, registers)))
        report_other(&access, address, pc, registers);
    inst_end_recorded(before);
}
