/* Vector registers: two doublewords, the first of which is the more significant; elements are
 * numbered from the most significant one, in programs of both byte orders. */

#define VT s->vs[32 + FT]
#define VA s->vs[32 + FA]
#define VB s->vs[32 + FB]
#define VC s->vs[32 + FC]
#define XT s->vs[FT | W(0, 0) << 5]
#define XA s->vs[FA | W(2, 2) << 5]
#define XB s->vs[FB | W(1, 1) << 5]
#define XC s->vs[FC | W(3, 3) << 5]
#define SAT s->vscr |= 1

static inline u64 low_bits(u64 value, unsigned bits)
{
    return bits < 64 ? value & (((u64)1 << bits) - 1) : value;
}
static inline u64 element(const u64 *vector, unsigned bits, unsigned n)
{
    return low_bits(vector[n * bits / 64] >> (64 - bits - n * bits % 64), bits);
}
static inline void set_element(u64 *vector, unsigned bits, unsigned n, u64 value)
{
    unsigned shift = 64 - bits - n * bits % 64;
    u64 *half = &vector[n * bits / 64], mask = low_bits(~(u64)0, bits) << shift;
    *half = (*half & ~mask) | (value << shift & mask);
}
#define GET(vector, bits, n) element(vector, bits, n)

/* A register from an array of two, after all that is read. */
#define SET(target, made) (target[0] = made[0], target[1] = made[1])
#define SET_BOTH(target, high, low)       \
    do {                                  \
        u64 high_ = (high), low_ = (low); \
        target[0] = high_;                \
        target[1] = low_;                 \
    } while (0)
#define WHOLE(vector) ((u128)(vector)[0] << 64 | (vector)[1])
#define SET_WHOLE(target, value)                               \
    do {                                                       \
        u128 value_ = (value);                                 \
        SET_BOTH(target, (u64)(value_ >> 64), (u64)value_);    \
    } while (0)

/* Each element of the result from a and b, the same ones of VA and VB; `n` is the number. */
#define EACH(kind, bits, value)                                               \
    do {                                                                      \
        u64 made_[2] = {0, 0};                                                \
        for (unsigned n = 0; n < 128 / bits; n++) {                           \
            kind a = (kind)GET(VA, bits, n), b = (kind)GET(VB, bits, n);      \
            set_element(made_, bits, n, (u64)(value));                        \
        }                                                                     \
        SET(VT, made_);                                                       \
    } while (0)
/* Each of `bits` from wherever the value says. */
#define MAKE(target, bits, value)                              \
    do {                                                       \
        u64 made_[2] = {0, 0};                                 \
        for (unsigned n = 0; n < 128 / bits; n++)              \
            set_element(made_, bits, n, (u64)(value));         \
        SET(target, made_);                                    \
    } while (0)

static inline s64 saturated(struct state *s, s128 value, s64 least, s64 most)
{
    if (value < least || value > most)
        SAT;
    return value < least ? least : value > most ? most : (s64)value;
}
#define CLAMP_S(bits, value) saturated(s, value, -((s64)1 << (bits - 1)), ((s64)1 << (bits - 1)) - 1)
#define CLAMP_U(bits, value) saturated(s, value, 0, ((s64)1 << bits) - 1)

static inline void set_all_or_none(struct state *s, const u64 *made)
{
    int all = made[0] == ~(u64)0 && made[1] == ~(u64)0;
    set_field(s, 6, all << 3 | (!made[0] && !made[1]) << 1);
}
#define COMPARE_EACH(kind, bits, condition)      \
    do {                                         \
        EACH(kind, bits, -(u64)(condition));     \
        if (RC)                                  \
            set_all_or_none(s, VT);              \
    } while (0)

/* Bytes of two registers in a row, numbered from the most significant. */
static inline u8 byte_of(const u64 *a, const u64 *b, unsigned n)
{
    return (n & 16 ? b : a)[n >> 3 & 1] >> (56 - (n & 7) * 8);
}
static inline u64 gathered_bits(const u64 *vector, unsigned half)
{
    u64 made = 0;
    for (unsigned row = 0; row < 8; row++)
        for (unsigned n = 0; n < 8; n++)
            made |= (vector[half] >> (63 - 8 * n - row) & 1) << (63 - 8 * row - n);
    return made;
}
static inline u64 picked_bits(const u64 *vector, const u64 *places)
{
    u64 made = 0;
    for (unsigned n = 0; n < 16; n++) {
        unsigned place = GET(places, 8, n);
        if (place < 128)
            made |= (vector[place >> 6] >> (63 - (place & 63)) & 1) << (15 - n);
    }
    return made;
}

/* Memory to and from registers: whole, or doublewords (words, halfwords, bytes) in their order. */
enum order { IN_WHOLE, IN_DOUBLEWORDS, IN_WORDS, IN_HALFWORDS, IN_BYTES };
static inline u64 swapped_within(u64 value, int order)
{
    if (!INST_LITTLE || order == IN_DOUBLEWORDS)
        return value;
    if (order == IN_WORDS)
        return value << 32 | value >> 32;
    if (order == IN_BYTES)
        return __builtin_bswap64(value);
    value = value << 32 | value >> 32;
    return (value & 0xffff0000ffff0000u) >> 16 | (value & 0x0000ffff0000ffffu) << 16;
}
#define LOAD_VECTOR(target, order, address)                                        \
    do {                                                                           \
        u64 v_[2];                                                                 \
        LOAD_SEVERAL(v_, 8, 2, address);                                           \
        if (order == IN_WHOLE)                                                     \
            SET_BOTH(target, v_[INST_LITTLE], v_[!INST_LITTLE]);                   \
        else                                                                       \
            SET_BOTH(target, swapped_within(v_[0], order), swapped_within(v_[1], order)); \
    } while (0)
#define STORE_VECTOR(source, order, address)                                       \
    do {                                                                           \
        u64 v_[2] = {source[INST_LITTLE && order == IN_WHOLE],                     \
            source[!INST_LITTLE || order != IN_WHOLE]};                            \
        if (order != IN_WHOLE)                                                     \
            v_[0] = swapped_within(v_[0], order), v_[1] = swapped_within(v_[1], order); \
        STORE_SEVERAL(v_, 8, 2, address);                                          \
    } while (0)
/* Two registers in a row, of which an even number is the first: the more significant one. */
#define FIRST_OF_PAIR ((FT & 30) | W(21, 21) << 5)
#define LOAD_PAIR(first, address)                                                  \
    do {                                                                           \
        u64 v_[4];                                                                 \
        LOAD_SEVERAL(v_, 8, 4, address);                                           \
        for (unsigned n_ = 0; n_ < 4; n_++)                                        \
            s->vs[(first) + n_ / 2][n_ % 2] = v_[INST_LITTLE ? 3 - n_ : n_];       \
    } while (0)
#define STORE_PAIR(first, address)                                                 \
    do {                                                                           \
        u64 v_[4];                                                                 \
        for (unsigned n_ = 0; n_ < 4; n_++)                                        \
            v_[INST_LITTLE ? 3 - n_ : n_] = s->vs[(first) + n_ / 2][n_ % 2];       \
        STORE_SEVERAL(v_, 8, 4, address);                                          \
    } while (0)
#define PLACE_IN(bits, address) \
    (INST_LITTLE ? 128 / (bits) - 1 - ((address) & 15) / ((bits) / 8) : ((address) & 15) / ((bits) / 8))

/* How many bytes an access takes whose register says it in the highest byte. */
static inline unsigned of_length(u64 value)
{
    return value >> 56 < 16 ? value >> 56 : 16;
}

/* Such an access: by bytes, but a whole vector at once. */
#define LOAD_LENGTH(target, order, address, length)                                     \
    do {                                                                                \
        u64 bytes_[16], made_[2] = {0, 0};                                              \
        unsigned count_ = of_length(length);                                            \
        if (count_ == 16) {                                                             \
            LOAD_VECTOR(target, order, address);                                        \
        } else {                                                                        \
            LOAD_SEVERAL(bytes_, 1, count_, address);                                   \
            for (unsigned n_ = 0; n_ < count_; n_++)                                    \
                set_element(made_, 8, INST_LITTLE && order == IN_WHOLE ? 15 - n_ : n_, bytes_[n_]); \
            SET(target, made_);                                                         \
        }                                                                               \
    } while (0)
#define STORE_LENGTH(source, order, address, length)                                    \
    do {                                                                                \
        u64 bytes_[16];                                                                 \
        unsigned count_ = of_length(length);                                            \
        if (count_ == 16) {                                                             \
            STORE_VECTOR(source, order, address);                                       \
        } else {                                                                        \
            for (unsigned n_ = 0; n_ < count_; n_++)                                    \
                bytes_[n_] = GET(source, 8, INST_LITTLE && order == IN_WHOLE ? 15 - n_ : n_); \
            STORE_SEVERAL(bytes_, 1, count_, address);                                  \
        }                                                                               \
    } while (0)

/* Floating point of scalars and vectors. `found` has exceptions. */
#define SET_XT(value) SET_BOTH(XT, value, 0)
#define XS_ARITHMETIC(operation, single, a, b, c)                                  \
    do {                                                                           \
        u32 found_ = 0;                                                            \
        NEEDS_FPSCR;                                                               \
        u64 r_ = arithmetic(operation, single, a, b, c, &found_);                  \
        if (DEPENDS_ON_SIGN(operation))                                             \
            UNDEFINED;                                                             \
        if (single && operation <= SQRT && found_ & XX                             \
            && !(fits_single(a) && fits_single(b) && fits_single(c)))              \
            UNDEFINED;                                                             \
        set_status(s, found_, class_of(r_));                                       \
        SET_XT(r_);                                                                \
    } while (0)
#define XV_DONE                       \
    do {                              \
        if (may_differ(found_))       \
            UNDEFINED;                \
        raise_bits(s, found_ & ~FI);  \
    } while (0)
/* Whether the emulator may report other exceptions than these, of several elements. */
static int may_differ(u32 found)
{
    return found & DIFFERS || (found & OX && found & UX)
        || (found & VXSNAN && found & INVALID & ~(VXSNAN | VXVC | VXCVI));
}
#define XV_ARITHMETIC(operation, single, a, b, c)                                  \
    do {                                                                           \
        u32 found_ = 0;                                                            \
        u64 made_[2] = {0, 0};                                                     \
        NEEDS_FPSCR;                                                               \
        for (unsigned n = 0; n < (single ? 4 : 2); n++)                            \
            set_element(made_, single ? 32 : 64, n,                                \
                lane(operation, single, a, b, c, n, &found_));                     \
        if (DEPENDS_ON_SIGN(operation))                                             \
            UNDEFINED;                                                             \
        XV_DONE;                                                                   \
        SET(XT, made_);                                                            \
    } while (0)
static const u64 no_operand[2] = {0, 0};

static u64 lane(int operation, int single, const u64 *a, const u64 *b, const u64 *c, unsigned n,
    u32 *found)
{
    if (!single)
        return arithmetic(operation, 0, a[n], b[n], c[n], found);
    return narrowed(arithmetic(operation, 1, widened(GET(a, 32, n)), widened(GET(b, 32, n)),
        widened(GET(c, 32, n)), found));
}

static u64 greatest(u64 a, u64 b, int of_least, u32 *found)
{
    if (is_signaling(a) || is_signaling(b)) {
        *found |= VXSNAN | (is_nan(a) && !is_signaling(a) ? DIFFERS : 0);
        return (is_signaling(a) ? a : b) | QUIET;
    }
    if (is_nan(a) || is_nan(b))
        return is_nan(a) && !is_nan(b) ? b : a;
    if (is_zero(a) && is_zero(b))
        return of_least ? a | b : a & b;
    return (as_double(a) > as_double(b)) != of_least ? a : b;
}

enum relation { EQUAL, GREATER, GREATER_EQUAL };
static int holds(u64 a, u64 b, int relation, u32 *found)
{
    if (is_nan(a) || is_nan(b)) {
        if (is_signaling(a) || is_signaling(b))
            *found |= VXSNAN;
        if (relation != EQUAL)
            *found |= VXVC;
        return 0;
    }
    double x = as_double(a), y = as_double(b);
    return relation == EQUAL ? x == y : relation == GREATER ? x > y : x >= y;
}

/* Each element of XB alone: `bits` of it, of which the result takes `to` of the same place. */
#define XV_EACH(from, to, value)                                                   \
    do {                                                                           \
        u32 found_ = 0;                                                            \
        u64 made_[2] = {0, 0};                                                     \
        NEEDS_FPSCR;                                                               \
        for (unsigned n = 0; n < 128 / ((from) > (to) ? (from) : (to)); n++) {     \
            u64 b = GET(XB, from, (from) < (to) ? 2 * n : n), r_ = (value);        \
            set_element(made_, to, (to) < (from) ? 2 * n : n, r_);                 \
            if ((to) < (from))                                                     \
                set_element(made_, to, 2 * n + 1, r_);                             \
        }                                                                          \
        XV_DONE;                                                                   \
        SET(XT, made_);                                                            \
    } while (0)
#define XS_CONVERT(value, sets_class, class)                                       \
    do {                                                                           \
        u32 found_ = 0;                                                            \
        u64 b = XB[0];                                                             \
        NEEDS_FPSCR;                                                               \
        u64 r_ = (value);                                                          \
        s->fpscr &= ~(u64)(FR | FI);                                               \
        if (sets_class)                                                            \
            s->fpscr = (s->fpscr & ~(u64)FPRF) | (class) << 12;                    \
        raise_bits(s, found_);                                                     \
        SET_XT(r_);                                                                \
    } while (0)

static inline u64 twice(u64 value)
{
    return value << 32 | (u32)value;
}

static inline u32 class_of_single(u32 single)
{
    u32 class = class_of(widened(single));
    return class | (!(single >> 23 & 255) && single << 1 ? 0x10 : 0);
}
/* The first doubleword; the second stays, which the architecture does not define. */
#define SET_FIRST(target, value) (target[0] = (value))
/* To integers, where no operand is a NaN: later elements then differ under the emulator. */
#define XV_TO_INTEGER(from, to, number, value)                                     \
    do {                                                                           \
        for (unsigned n = 0; n < 128 / (from); n++) {                              \
            u64 b = GET(XB, from, n);                                              \
            if (((from) == 64 || (to) == 32 || n % 2 == 0) && is_nan(number))      \
                UNDEFINED;                                                         \
        }                                                                          \
        XV_EACH(from, to, value);                                                  \
    } while (0)

/* A number of single precision as one of double, whose NaN is quiet. */
static u64 widened_quiet(u32 single, u32 *found)
{
    u64 bits = widened(single);
    if (is_signaling(bits))
        *found |= VXSNAN;
    return is_nan(bits) ? bits | QUIET : bits;
}

static inline u64 products_of_bytes(const u64 *a, const u64 *b, unsigned word, int is_mixed)
{
    u64 sum = 0;
    for (unsigned n = 4 * word; n < 4 * word + 4; n++)
        sum += (is_mixed ? (u64)(s8)GET(a, 8, n) : GET(a, 8, n)) * GET(b, 8, n);
    return sum;
}
static inline s64 sum_of_bytes(const u64 *a, unsigned word, int is_signed)
{
    s64 sum = 0;
    for (unsigned n = 4 * word; n < 4 * word + 4; n++)
        sum += is_signed ? (s8)GET(a, 8, n) : (s64)GET(a, 8, n);
    return sum;
}
#define INSERT(mask, value, place) \
    SET_WHOLE(VT, (WHOLE(VT) & ~((u128)(mask) << (place) * 8)) | (u128)(value) << (place) * 8)

#define PRODUCTS_OF_HALVES(kind, wide)                            \
    ((wide)(kind)GET(VA, 16, 2 * n) * (kind)GET(VB, 16, 2 * n)     \
        + (wide)(kind)GET(VA, 16, 2 * n + 1) * (kind)GET(VB, 16, 2 * n + 1))

/* A pixel of 16 bits: one bit, and three colours of 5, which are the high ones of bytes. */
static inline u32 pixel(u32 word)
{
    return (word >> 24 & 1) << 15 | (word >> 19 & 31) << 10 | (word >> 11 & 31) << 5 | (word >> 3 & 31);
}
static inline u32 of_pixel(u32 half)
{
    return (half >> 15 ? 0xff000000u : 0) | (half >> 10 & 31) << 16 | (half >> 5 & 31) << 8 | (half & 31);
}

static inline u64 picked_from(u64 bits, u64 places)
{
    u64 made = 0;
    for (unsigned n = 0; n < 8; n++) {
        unsigned place = places >> (56 - 8 * n) & 255;
        made |= place < 64 ? (bits >> (63 - place) & 1) << (7 - n) : 0;
    }
    return made;
}
#define LOW_BITS 0x0101010101010101u

/* AltiVec's floating point: rounded to the nearest, without exceptions; in the mode that is not
 * Java's, denormalized numbers are zeros, as operands and as results. */
enum { NON_JAVA = 0x10000 };
static inline u32 flushed(const struct state *s, u32 single)
{
    return s->vscr & NON_JAVA && !(single & 0x7f800000) ? single & 0x80000000 : single;
}
static inline u64 operand(const struct state *s, const u64 *vector, unsigned n)
{
    return widened(flushed(s, GET(vector, 32, n)));
}
#define VECTOR_ARITHMETIC(operation, a, b, c)                                      \
    do {                                                                           \
        u64 made_[2] = {0, 0};                                                     \
        unsigned old_ = set_rounding(0);                                           \
        for (unsigned n = 0; n < 4; n++) {                                         \
            u32 found_ = 0, r_ = narrowed(arithmetic(operation, 1, operand(s, a, n), \
                operand(s, b, n), operand(s, c, n), &found_));                     \
            if (found_ & UX && s->vscr & NON_JAVA)                                 \
                r_ &= 0x80000000;                                                  \
            set_element(made_, 32, n, flushed(s, r_));                             \
        }                                                                          \
        reset_rounding(old_);                                                      \
        SET(VT, made_);                                                            \
    } while (0)
/* Each word from a and b, numbers of double precision. */
#define VECTOR_WORDS(value)                                                        \
    do {                                                                           \
        u64 made_[2] = {0, 0};                                                     \
        u32 found_ = 0;                                                            \
        unsigned old_ = set_rounding(0);                                           \
        for (unsigned n = 0; n < 4; n++) {                                         \
            u64 a = operand(s, VA, n), b = operand(s, VB, n);                      \
            (void)a, (void)b;                                                      \
            set_element(made_, 32, n, (value));                                    \
        }                                                                          \
        reset_rounding(old_);                                                      \
        (void)found_;                                                              \
        SET(VT, made_);                                                            \
    } while (0)
#define VECTOR_EACH(value) VECTOR_WORDS(narrowed(value))

static u64 extreme(u64 a, u64 b, int of_least)
{
    if (is_nan(a) || is_nan(b))
        return (is_nan(a) ? a : b) | QUIET;
    u32 found = 0;
    return greatest(a, b, of_least, &found);
}
static u32 scaled_float(s64 value, unsigned down)
{
    u32 found = 0;
    unsigned old = set_rounding(0);
    u64 made = from_integer(value, 1, 1, &found);
    reset_rounding(old);
    return narrowed(of_double(ldexp(as_double(made), -(int)down)));
}
/* Towards zero; beyond what a register holds, it is enough that it is. */
static s64 scaled_integer(u32 single, unsigned up)
{
    double value = ldexp(as_double(widened(single)), up);
    return value >= 0x1p40 ? (s64)1 << 40 : value <= -0x1p40 ? -((s64)1 << 40) : (s64)value;
}
/* The emulator does not report those as saturated. */
#define REFUSE_NANS(vector)                                                        \
    do {                                                                           \
        for (unsigned n = 0; n < 4; n++)                                           \
            if (is_nan(widened(GET(vector, 32, n))))                               \
                UNDEFINED;                                                         \
    } while (0)
