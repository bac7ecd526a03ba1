/* What POWER10 added: immediates of 32 bits, bits under masks, and vectors of 128 bits. */

#define XT16 s->vs[FT | W(16, 16) << 5]
#define IMMEDIATE ((prefix & 0xffff) << 16 | W(15, 0))

static inline int is_denormal_single(u32 bits)
{
    return !(bits >> 23 & 255) && bits << 9;
}

/* Each element of XB or XA, as the highest bit of that of XC is set or not. */
#define BLEND(bits) \
    MAKE(XT, bits, GET(XC, bits, n) >> (bits - 1) ? GET(XB, bits, n) : GET(XA, bits, n))

/* A function of three bits, whose values are the bits of `table`, the highest one for three zeros. */
static inline u64 evaluated(unsigned table, u64 a, u64 b, u64 c)
{
    u64 made = 0;
    for (unsigned n = 0; n < 8; n++)
        if (table >> (7 - n) & 1)
            made |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
    return made;
}

/* The bits of a mask, from the lowest on: those of a value to the low end, and back. */
static u64 extracted(u64 value, u64 mask)
{
    u64 made = 0;
    for (unsigned to = 0; mask; mask &= mask - 1)
        made |= (value >> __builtin_ctzll(mask) & 1) << to++;
    return made;
}
static u64 deposited(u64 value, u64 mask)
{
    u64 made = 0;
    for (; mask; mask &= mask - 1, value >>= 1)
        made |= (value & 1) << __builtin_ctzll(mask);
    return made;
}
/* The bits outside the mask to the high end, the others to the low end. */
static u64 sorted_bits(u64 value, u64 mask)
{
    unsigned count = __builtin_popcountll(mask);
    return extracted(value, mask) | (count < 64 ? extracted(value, ~mask) << count : 0);
}
/* How many bits of the mask a value has no bit at, before the first (after the last) one where it has. */
static u64 zeros_before(u64 value, u64 mask)
{
    value &= mask;
    return __builtin_popcountll(value ? mask & ~(~(u64)0 >> __builtin_clzll(value)) : mask);
}
static u64 zeros_after(u64 value, u64 mask)
{
    value &= mask;
    return __builtin_popcountll(value ? mask & ((value & -value) - 1) : mask);
}

static u64 every_bit(const u64 *vector, unsigned distance)
{
    u64 made = 0;
    for (unsigned n = 0, at = 0; at < 128; n++, at += distance)
        made |= (vector[at >> 6] >> (63 - (at & 63)) & 1) << (63 - n);
    return made;
}

static inline u128 rotated_whole(u128 value, u64 count)
{
    return value << (count & 127) | value >> (-count & 127);
}
/* The mask of which a doubleword states the first and the last bit, from the highest on. */
static inline u128 mask_of_whole(u64 how)
{
    unsigned first = how >> 16 & 127, last = how >> 8 & 127;
    u128 begin = ~(u128)0 >> first, end = ~(u128)0 << (127 - last);
    return first <= last ? begin & end : begin | end;
}

/* `bits` of two registers in a row, from a byte on. */
static u64 element_of_two(const u64 *a, const u64 *b, unsigned bits, unsigned at)
{
    u64 made = 0;
    for (unsigned n = 0; n < bits / 8; n++)
        made = made << 8 | byte_of(a, b, at + n);
    return made;
}

/* The high half of the numbers of quadruple precision that an instruction names; 0 for none. */
static u64 quadruple(unsigned number)
{
    static const u32 of_numbers[32] = {
        0, 0x3fff0000, 0x40000000, 0x40008000, 0x40010000, 0x40014000, 0x40018000, 0x4001c000,
        0x7fff0000, 0x7fff8000, 0, 0, 0, 0, 0, 0,
        0x80000000, 0xbfff0000, 0xc0000000, 0xc0008000, 0xc0010000, 0xc0014000, 0xc0018000, 0xc001c000,
        0xffff0000,
    };
    return (u64)of_numbers[number] << 32;
}

/* Elements from one end on, up to one that is 0. */
#define ISOLATE(bits, from_right, ends)                                          \
    do {                                                                         \
        u64 made_[2] = {0, 0};                                                   \
        ends = 0;                                                                \
        for (unsigned k = 0; k < 128 / bits && !ends; k++) {                     \
            unsigned n = from_right ? 128 / bits - 1 - k : k;                    \
            ends = !GET(VB, bits, n);                                            \
            set_element(made_, bits, n, GET(VB, bits, n));                       \
        }                                                                        \
        SET(VT, made_);                                                          \
    } while (0)

/* Places of bytes for vperm that spread elements to where a mask is set, or gather them from there; in
 * the order of either byte order. */
static void generate_places(u64 *made, const u64 *mask, unsigned bits, unsigned how)
{
    unsigned size = bits / 8, count = 128 / bits, next = 0;
    made[0] = made[1] = 0;
    for (unsigned n = 0; n < count; n++) {
        unsigned place = how & 2 ? count - 1 - n : n;
        int is_set = GET(mask, bits, place) >> (bits - 1);
        for (unsigned k = 0; k < size; k++) {
            unsigned own = n * size + k, packed = next * size + k;
            unsigned to = how & 1 ? packed : own, from = how & 1 ? own : packed;
            if (is_set)
                set_element(made, 8, how & 2 ? 15 - to : to, from);
            else if (!(how & 1))
                set_element(made, 8, how & 2 ? 15 - own : own, own + 16);
        }
        next += is_set;
    }
}
#define GENERATE_PLACES(bits)                       \
    do {                                            \
        u64 made_[2];                               \
        if (FA > 3)                                 \
            UNDEFINED;                              \
        generate_places(made_, VB, bits, FA);       \
        SET(XT, made_);                             \
    } while (0)

/* Quotients and remainders of each element; what is not defined of any is not executed. */
enum { QUOTIENT, QUOTIENT_EXTENDED, REMAINDER };
static u128 element_as_number(const u64 *vector, unsigned bits, unsigned n, int is_signed)
{
    if (bits == 128)
        return WHOLE(vector);
    u64 value = GET(vector, bits, n);
    return is_signed ? (u128)((s64)(value << (64 - bits)) >> (64 - bits)) : value;
}
/* Divide high << 128 by b, which is greater: bit by bit. */
static u128 quotient_of_high(u128 high, u128 b)
{
    u128 quotient = 0;
    for (unsigned n = 0; n < 128; n++) {
        int is_greater = high >> 127;
        high <<= 1;
        quotient <<= 1;
        if (is_greater || high >= b) {
            high -= b;
            quotient |= 1;
        }
    }
    return quotient;
}
/* Return whether the result is defined. */
static int divide(u128 a, u128 b, unsigned bits, int is_signed, int kind, u128 *result)
{
    int negates_rest = is_signed && (s128)a < 0, negates_b = is_signed && (s128)b < 0;
    int negates = negates_rest != negates_b;
    u128 quotient, rest = 0, most = (~(u128)0 >> (128 - bits)) >> is_signed;
    a = negates_rest ? -a : a;
    b = negates_b ? -b : b;
    if (!b || (kind == QUOTIENT_EXTENDED && a >= b))
        return 0;
    if (kind != QUOTIENT_EXTENDED)
        quotient = a / b, rest = a % b;
    else
        quotient = bits == 128 ? quotient_of_high(a, b) : (a << (bits & 127)) / b;
    *result = kind == REMAINDER ? (negates_rest ? -rest : rest) : negates ? -quotient : quotient;
    return quotient <= most + negates;
}
#define DIVIDE_EACH(is_signed, bits, kind)                                                \
    do {                                                                                  \
        u64 made_[2] = {0, 0};                                                            \
        for (unsigned n = 0; n < 128 / (bits); n++) {                                     \
            u128 r_;                                                                      \
            if (!divide(element_as_number(VA, bits, n, is_signed),                        \
                    element_as_number(VB, bits, n, is_signed), bits, is_signed, kind, &r_)) \
                UNDEFINED;                                                                \
            if ((bits) == 128)                                                            \
                made_[0] = r_ >> 64, made_[1] = (u64)r_;                                  \
            else                                                                          \
                set_element(made_, bits, n, (u64)r_);                                     \
        }                                                                                 \
        SET(VT, made_);                                                                   \
    } while (0)
