/* Names and functions of PowerPC's statements. Bits are numbered from the lowest. */

#define FT W(25, 21)
#define FA W(20, 16)
#define FB W(15, 11)
#define FC W(10, 6)
#define RT s->g[FT]
#define RA s->g[FA]
#define RB s->g[FB]
#define RA0 (FA ? RA : 0)
#define SI ((sreg)(s16)d->word)
#define UI ((ureg)(u16)d->word)
/* The displacement of two words, and the address that is made with it: without a register if it is
 * relative to the instruction. */
#define SI34 ((s64)((u64)(prefix & 0x3ffff) << 46 | (u64)(u16)d->word << 30) >> 30)
#define IS_RELATIVE (prefix >> 20 & 1)
#define PREFIXED_SUM (IS_RELATIVE ? PC + (ureg)SI34 : RA0 + (ureg)SI34)
#define PREFIXED_ADDRESS         \
    ureg at = PREFIXED_SUM;      \
    if (IS_RELATIVE && FA)       \
    UNDEFINED
#define FIELD (W(25, 23)) /* of the condition register, that is set */
#define FROM (W(20, 18))
#define UNDEFINED STOP(UNKNOWN_INSTRUCTION)
/* Take what the processor left in a register where the architecture does not say. */
#define LEFT_IN(target)                \
    do {                               \
        if (RC)                        \
            UNDEFINED;                 \
        RECORDED(target);              \
    } while (0)
#define BEGIN_RUN
#define END_RUN

enum { SO = 1u << 31, OV = 1 << 30, CA = 1 << 29, OV32 = 1 << 19, CA32 = 1 << 18 };

static inline void set_field(struct state *s, unsigned field, u32 bits)
{
    unsigned shift = 28 - 4 * field;
    s->cr = (s->cr & ~(15u << shift)) | bits << shift;
}

static inline u32 get_field(const struct state *s, unsigned field)
{
    return s->cr >> (28 - 4 * field) & 15;
}

static inline u32 get_bit(const struct state *s, unsigned bit)
{
    return s->cr >> (31 - bit) & 1;
}

static inline void set_bit(struct state *s, unsigned bit, u32 value)
{
    s->cr = (s->cr & ~(1u << (31 - bit))) | value << (31 - bit);
}

static inline u32 compared(const struct state *s, int less, int greater)
{
    return (less ? 8 : greater ? 4 : 2) | s->xer >> 31;
}

static inline void record(struct state *s, ureg value)
{
    set_field(s, 0, compared(s, (sreg)value < 0, (sreg)value > 0));
}

#define COMPARE(type, a, b)                                        \
    do {                                                           \
        type a_ = (type)(a), b_ = (type)(b);                       \
        set_field(s, FIELD, compared(s, a_ < b_, a_ > b_));        \
    } while (0)

/* The result of an instruction, after all that its operands are read for. */
#define TO(target, value)              \
    do {                               \
        ureg result_ = (ureg)(value);  \
        target = result_;              \
        if (RC)                        \
            record(s, result_);        \
    } while (0)
#define TO_RT(value) TO(RT, value)
#define TO_RA(value) TO(RA, value)

static inline void set_overflow(struct state *s, int of_all, int of_32)
{
    s->xer &= ~(OV | OV32);
    if (of_all)
        s->xer |= SO | OV;
    if (INST_BITS == 64 && of_32)
        s->xer |= OV32;
}

static inline void set_carry(struct state *s, int of_all, int of_32)
{
    s->xer = (s->xer & ~(CA | CA32)) | (of_all ? CA : 0);
    if (INST_BITS == 64 && of_32)
        s->xer |= CA32;
}

/* a + b + carry; `sets` has CA and OV for what is set. */
static inline ureg sum(struct state *s, ureg a, ureg b, ureg carry, u32 sets)
{
    ureg result = a + b + carry;
    if (sets & CA)
        set_carry(s, carry ? result <= a : result < a, ((u64)a ^ b ^ result) >> 32 & 1);
    if (sets & OV) {
        ureg over = (result ^ a) & (result ^ b);
        set_overflow(s, over >> (INST_BITS - 1) & 1, over >> 31 & 1);
    }
    return result;
}
#define CARRY (s->xer >> 29 & 1)
#define WITH_OE (OE ? OV : 0)

static inline u32 rotated32(u32 value, unsigned count)
{
    return value << (count & 31) | value >> (-count & 31);
}

static inline u64 rotated64(u64 value, unsigned count)
{
    return value << (count & 63) | value >> (-count & 63);
}

/* The low word rotated, in both halves. */
static inline ureg rotated_word(ureg value, unsigned count)
{
    u32 low = rotated32((u32)value, count);
    return (ureg)((u64)low << 32 | low);
}

/* The mask from one bit to another, numbered from the highest of 64; it may wrap. */
static inline u64 mask64(unsigned first, unsigned last)
{
    u64 begin = ~(u64)0 >> first, end = ~(u64)0 << (63 - last);
    return first <= last ? begin & end : begin | end;
}
#define MASK32 ((ureg)mask64(W(10, 6) + 32, W(5, 1) + 32))
#define SHIFT64 (W(15, 11) | W(1, 1) << 5)
#define BEGIN64 (W(10, 6) | W(5, 5) << 5)

static inline int traps(unsigned options, s64 a, s64 b, u64 ua, u64 ub)
{
    return (options & 16 && a < b) || (options & 8 && a > b) || (options & 4 && a == b)
        || (options & 2 && ua < ub) || (options & 1 && ua > ub);
}
#define TRAP_IF(type, unsigned_type, a, b)                                           \
    do {                                                                             \
        ureg a_ = (a), b_ = (ureg)(b);                                               \
        if (traps(FT, (type)a_, (type)b_, (unsigned_type)a_, (unsigned_type)b_))     \
            STOP(TRAP);                                                              \
    } while (0)

/* Whether a conditional branch is taken; CTR is counted down. */
static inline int taken(struct state *s, unsigned options, unsigned bit)
{
    if (!(options & 4)) {
        s->ctr--;
        if ((s->ctr == 0) != (options >> 1 & 1))
            return 0;
    }
    return options & 16 || get_bit(s, bit) == (options >> 3 & 1);
}

static inline u64 each_byte(u64 a, u64 b)
{
    u64 result = 0;
    for (unsigned n = 0; n < 64; n += 8)
        if ((a >> n & 255) == (b >> n & 255))
            result |= (u64)255 << n;
    return result;
}

static inline u64 bits_of_bytes(u64 value)
{
    u64 result = 0;
    for (unsigned n = 0; n < 64; n += 8)
        result |= (u64)__builtin_popcount(value >> n & 255) << n;
    return result;
}

static inline u64 permuted_bits(u64 places, u64 value)
{
    u64 result = 0;
    for (unsigned n = 0; n < 8; n++) {
        unsigned place = places >> 8 * n & 255;
        if (place < 64)
            result |= (value >> (63 - place) & 1) << n;
    }
    return result;
}

enum { DCBZ_BYTES = INST_BITS == 64 ? 128 : 32 };

/* String instructions: four bytes a register, from the highest of its low word on. */
static inline void from_string(struct state *s, unsigned first, const u64 *bytes, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        ureg *g = &s->g[(first + n / 4) & 31];
        *g = (n % 4 ? *g : 0) | (ureg)bytes[n] << (24 - n % 4 * 8);
    }
}

static inline void to_string(const struct state *s, unsigned first, u64 *bytes, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        bytes[n] = s->g[(first + n / 4) & 31] >> (24 - n % 4 * 8) & 255;
}
