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

/* Whether a number is rounded up in magnitude of which a part is cut off: `rest` of twice `half`. */
static inline int rounds_up(u128 kept, u128 rest, u128 half, int is_negative, unsigned mode)
{
    if (mode == 0)
        return rest > half || (rest == half && kept & 1);
    return mode != 1 && rest && (mode == 3) == is_negative;
}

/* A number of single precision with 16 bits, as bfloat16 has it. */
static u32 shortened(u32 bits, unsigned mode, u32 *found)
{
    u32 size = bits & 0x7fffffff, rest = bits & 0xffff, sign = bits >> 31;
    if (size > 0x7f800000) {
        if (!(bits & 0x400000))
            *found |= VXSNAN;
        return bits >> 16 | 0x40;
    }
    u32 made = (size >> 16) + rounds_up(size >> 16, rest, 0x8000, sign, mode);
    if (rest)
        *found |= XX | FI | (made == 0x7f80 ? OX : 0) | (size < 0x800000 ? UX : 0);
    return sign << 15 | made;
}

/* Quadruple precision: 15 bits of exponent, 112 of fraction. */
#define QUADRUPLE_SIGN ((u128)1 << 127)
#define QUADRUPLE_INFINITY ((u128)0x7fff << 112)
static inline int is_quadruple_nan(u128 bits)
{
    return (bits & ~QUADRUPLE_SIGN) > QUADRUPLE_INFINITY;
}
static inline int is_quadruple_signaling(u128 bits)
{
    return is_quadruple_nan(bits) && !(bits >> 111 & 1);
}
/* A number that is ordered as such a number is; that of both zeros is the same. */
static inline s128 ordered_quadruple(u128 bits)
{
    u128 size = bits & ~QUADRUPLE_SIGN;
    return bits >> 127 ? -(s128)size : (s128)size;
}
#define COMPARE_QUADRUPLES(relation)                                                      \
    do {                                                                                  \
        u128 one_ = WHOLE(VA), two_ = WHOLE(VB);                                          \
        u32 found_ = is_quadruple_signaling(one_) || is_quadruple_signaling(two_) ? VXSNAN : 0; \
        int is_nan_ = is_quadruple_nan(one_) || is_quadruple_nan(two_);                   \
        s128 a = ordered_quadruple(one_), b = ordered_quadruple(two_);                    \
        u64 made_ = -(u64)(!is_nan_ && (relation == EQUAL ? a == b                        \
            : relation == GREATER ? a > b : a >= b));                                     \
        NEEDS_FPSCR;                                                                      \
        if (is_nan_ && relation != EQUAL)                                                 \
            found_ |= VXVC;                                                               \
        raise_bits(s, found_);                                                            \
        SET_BOTH(VT, made_, made_);                                                       \
    } while (0)
/* The first of two numbers if the condition holds; the second, too, if one is no number. */
#define CHOOSE_QUADRUPLE(condition)                                                       \
    do {                                                                                  \
        u128 one_ = WHOLE(VA), two_ = WHOLE(VB);                                          \
        u32 found_ = is_quadruple_signaling(one_) || is_quadruple_signaling(two_) ? VXSNAN : 0; \
        int is_nan_ = is_quadruple_nan(one_) || is_quadruple_nan(two_);                   \
        s128 a = ordered_quadruple(one_), b = ordered_quadruple(two_);                    \
        NEEDS_FPSCR;                                                                      \
        if (!is_nan_ && a == b && one_ != two_)                                           \
            UNDEFINED;                                                                    \
        raise_bits(s, found_);                                                            \
        SET_WHOLE(VT, !is_nan_ && (condition) ? one_ : two_);                             \
    } while (0)

static u128 quadruple_to_whole(u128 bits, int is_signed, u32 *found)
{
    int is_negative = bits >> 127, exponent = (int)(bits >> 112 & 0x7fff) - 16383;
    u128 most = ~(u128)0 >> is_signed, fraction = (bits & (((u128)1 << 112) - 1)) | (u128)1 << 112;
    if (is_quadruple_nan(bits)) {
        *found |= VXCVI | (is_quadruple_signaling(bits) ? VXSNAN : 0);
        return is_signed ? most + 1 : 0;
    }
    if (!(bits & ~QUADRUPLE_SIGN))
        return 0;
    if (exponent < 0) {
        *found |= XX | FI;
        return 0;
    }
    u128 least = is_signed ? most + 1 : 0;
    if (exponent > 127 || (!is_signed && is_negative)) {
        *found |= VXCVI;
        return is_negative ? least : most;
    }
    u128 size = exponent >= 112 ? fraction << (exponent - 112) : fraction >> (112 - exponent);
    if (size > most + (is_signed && is_negative)) {
        *found |= VXCVI;
        return is_negative ? least : most;
    }
    if (exponent < 112 && fraction << (128 - (112 - exponent)))
        *found |= XX | FI;
    return is_negative ? -size : size;
}
#define TO_WHOLE(is_signed)                                                               \
    do {                                                                                  \
        u32 found_ = 0;                                                                   \
        NEEDS_FPSCR;                                                                      \
        u128 r_ = quadruple_to_whole(WHOLE(VB), is_signed, &found_);                      \
        s->fpscr &= ~(u64)(FR | FI);                                                      \
        raise_bits(s, found_);                                                            \
        SET_WHOLE(VT, r_);                                                                \
    } while (0)

static u128 quadruple_from_whole(u128 value, int is_negative, unsigned mode, u32 *found)
{
    if (!value)
        return 0;
    unsigned zeros = value >> 64 ? __builtin_clzll(value >> 64) : 64 + __builtin_clzll((u64)value);
    unsigned exponent = 127 - zeros;
    u128 made;
    if (exponent <= 112) {
        made = value << (112 - exponent);
    } else {
        unsigned cut = exponent - 112;
        u128 rest = value & (((u128)1 << cut) - 1);
        made = value >> cut;
        made += rounds_up(made, rest, (u128)1 << (cut - 1), is_negative, mode);
        if (rest)
            *found |= XX | FI;
    }
    made += (u128)(exponent + 16382) << 112; /* with the first bit, which is not stored */
    return is_negative ? made | QUADRUPLE_SIGN : made;
}
#define FROM_WHOLE(is_signed)                                                             \
    do {                                                                                  \
        u32 found_ = 0;                                                                   \
        u128 b_ = WHOLE(VB);                                                              \
        int is_negative_ = is_signed && b_ >> 127;                                        \
        NEEDS_FPSCR;                                                                      \
        u128 r_ = quadruple_from_whole(is_negative_ ? -b_ : b_, is_negative_, s->fpscr & 3, &found_); \
        set_status(s, found_, !b_ ? 2 : is_negative_ ? 8 : 4);                            \
        SET_WHOLE(VT, r_);                                                                \
    } while (0)

/* Matrices: accumulator n is four registers, 4n to 4n+3, each of which is a row. */
#define ACCUMULATOR(row) s->vs[W(25, 23) * 4 + (row)]
enum { ALL_OF_MATRIX = 0xffff };
#define NEEDS_OTHERS                                                           \
    do {                                                                       \
        unsigned own_ = W(25, 23) * 4;                                         \
        if ((!W(2, 2) && (FA & ~3) == own_) || (!W(1, 1) && (FB & ~3) == own_)) \
            UNDEFINED;                                                         \
    } while (0)

/* The sum of products of a row of A and a column of B, of which the mask has those that count: unsigned
 * bytes of B, and numbers with a sign else. */
static s64 product_of_parts(const u64 *a, const u64 *b, unsigned bits, unsigned row, unsigned column, unsigned mask)
{
    unsigned count = 32 / bits, away = 64 - bits;
    s64 sum = 0;
    for (unsigned k = 0; k < count; k++) {
        s64 one = (s64)(GET(a, bits, count * row + k) << away) >> away;
        u64 other = GET(b, bits, count * column + k);
        s64 two = bits == 8 ? (s64)other : (s64)(other << away) >> away;
        if (mask >> (count - 1 - k) & 1)
            sum += one * two;
    }
    return sum;
}
/* The masks are those of a prefix: of products its highest bits of 16, of rows and columns four each. */
#define WHOLE_PRODUCTS(bits, masks, adds, saturates)                                         \
    do {                                                                                     \
        u64 made_[4][2] = {{0}};                                                             \
        NEEDS_OTHERS;                                                                        \
        for (unsigned i = 0; i < 4; i++)                                                     \
            for (unsigned j = 0; j < 4; j++) {                                               \
                if (!((masks) >> (7 - i) & (masks) >> (3 - j) & 1))                          \
                    continue;                                                                \
                s64 r_ = product_of_parts(XA, XB, bits, i, j, ((masks) & 0xffff) >> (16 - 32 / (bits))); \
                if (adds)                                                                    \
                    r_ += (s32)GET(ACCUMULATOR(i), 32, j);                                   \
                set_element(made_[i], 32, j, saturates ? (u64)CLAMP_S(32, (s128)r_) : (u64)r_); \
            }                                                                                \
        for (unsigned i = 0; i < 4; i++)                                                     \
            SET(ACCUMULATOR(i), made_[i]);                                                   \
    } while (0)

/* Of 64 bits A is two registers in a row, and B has two columns. The emulator negates sums, not products:
 * what is not the same for zeros, and rounded up or down, is not executed. */
#define FLOATING_PRODUCTS(bits, masks, operation)                                            \
    do {                                                                                     \
        u64 made_[4][2] = {{0}};                                                             \
        u32 found_ = 0;                                                                      \
        NEEDS_FPSCR;                                                                         \
        NEEDS_OTHERS;                                                                        \
        for (unsigned i = 0; i < 4; i++)                                                     \
            for (unsigned j = 0; j < 128 / (bits); j++) {                                    \
                if (!((masks) >> (7 - i) & (masks) >> (3 - j) & 1))                          \
                    continue;                                                                \
                u64 a = bits == 64 ? (&XA)[i / 2][i % 2] : widened(GET(XA, 32, i));          \
                u64 c = bits == 64 ? XB[j] : widened(GET(XB, 32, j));                        \
                u64 b = bits == 64 ? ACCUMULATOR(i)[j] : widened(GET(ACCUMULATOR(i), 32, j)); \
                u64 r_ = arithmetic(operation, bits == 32, a, operation == MUL ? 0 : b, c, &found_); \
                if ((operation >= NMADD && is_zero(r_)) || DEPENDS_ON_SIGN(operation))       \
                    UNDEFINED;                                                               \
                set_element(made_[i], bits, j, bits == 32 ? narrowed(r_) : r_);              \
            }                                                                                \
        XV_DONE;                                                                             \
        for (unsigned i = 0; i < 4; i++)                                                     \
            SET(ACCUMULATOR(i), made_[i]);                                                   \
    } while (0)
