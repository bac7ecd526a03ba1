/* Floating point as PowerPC has it, on this machine's arithmetic of the same formats.
 *
 * Differences that are made up for: which NaN is the result, the sign of the default NaN, that a
 * number counts as tiny before it is rounded, and that results of single precision are rounded once
 * although operands are of double precision. */

#undef BEGIN_RUN
#define BEGIN_RUN set_rounding(s->fpscr & 3);

#define FRT s->vs[FT][0]
#define FRA s->vs[FA][0]
#define FRB s->vs[FB][0]
#define FRC s->vs[FC][0]

/* Found by instructions of which emulator and architecture may differ. */
enum { DIFFERS = 4 };
enum {
    FX = 1u << 31, FEX = 1 << 30, VX = 1 << 29, OX = 1 << 28, UX = 1 << 27, ZX = 1 << 26,
    XX = 1 << 25, VXSNAN = 1 << 24, VXISI = 1 << 23, VXIDI = 1 << 22, VXZDZ = 1 << 21,
    VXIMZ = 1 << 20, VXVC = 1 << 19, FR = 1 << 18, FI = 1 << 17, FPRF = 31 << 12, FPCC = 15 << 12,
    VXSOFT = 1 << 10, VXSQRT = 1 << 9, VXCVI = 1 << 8, ENABLED = 31 << 3, NI = 4,
    INVALID = VXSNAN | VXISI | VXIDI | VXZDZ | VXIMZ | VXVC | VXSOFT | VXSQRT | VXCVI,
    STICKY = INVALID | OX | UX | ZX | XX
};
/* The bits that can be set: all but one of the low half, and three of the decimal rounding mode. */
#define ALL_BITS (INST_BITS == 64 ? 0x7fffff7ffu : 0xfffff7ffu)
#define QUIET ((u64)1 << 51)
#define SIGN ((u64)1 << 63)
#define DEFAULT_NAN 0x7ff8000000000000u

static inline int is_nan(u64 bits)
{
    return (bits & ~SIGN) > 0x7ff0000000000000u;
}
static inline int is_signaling(u64 bits)
{
    return is_nan(bits) && !(bits & QUIET);
}
static inline int is_infinite(u64 bits)
{
    return (bits & ~SIGN) == 0x7ff0000000000000u;
}
static inline int is_zero(u64 bits)
{
    return !(bits & ~SIGN);
}

/* The format of single precision to and from registers, without rounding. */
static inline u64 widened(u32 single)
{
    u64 sign = (u64)(single >> 31) << 63;
    u32 exponent = single >> 23 & 255;
    u64 fraction = single & 0x7fffff;
    if (exponent == 255)
        return sign | (u64)0x7ff << 52 | fraction << 29;
    if (exponent)
        return sign | (u64)(exponent + 896) << 52 | fraction << 29;
    if (!fraction)
        return sign;
    unsigned shift = __builtin_clz((u32)fraction) - 8;
    return sign | (u64)(897 - shift) << 52 | (fraction << shift & 0x7fffff) << 29;
}
static inline u32 narrowed(u64 bits)
{
    unsigned exponent = bits >> 52 & 0x7ff;
    if (exponent > 896 || is_zero(bits))
        return (bits >> 32 & 0xc0000000) | (bits >> 29 & 0x3fffffff);
    if (exponent < 874)
        return bits >> 32 & 0x80000000;
    u64 fraction = (bits & 0xfffffffffffffu) | (u64)1 << 52;
    return (bits >> 32 & 0x80000000) | (u32)(fraction >> (926 - exponent));
}
static inline int fits_single(u64 bits)
{
    return of_double((double)as_float(narrowed(bits))) == bits;
}

static inline u32 class_of(u64 bits)
{
    int negative = bits >> 63;
    unsigned exponent = bits >> 52 & 0x7ff;
    if (is_nan(bits))
        return 0x11;
    if (exponent == 0x7ff)
        return negative ? 9 : 5;
    if (is_zero(bits))
        return negative ? 0x12 : 2;
    return (exponent ? 0 : 0x10) | (negative ? 8 : 4);
}
/* Set the exceptions that an instruction has found, and their summaries. */
static inline void raise_bits(struct state *s, u32 found)
{
    if (found & INVALID)
        found |= VX;
    if (found & STICKY & ~s->fpscr)
        found |= FX;
    s->fpscr |= found;
}

enum operation { ADD, SUB, MUL, DIV, SQRT, MADD, MSUB, NMADD, NMSUB, ROUND };
/* Whether a result depends on whether it is negated before it is rounded, towards an infinity. */
#define DEPENDS_ON_SIGN(operation) \
    (operation >= NMADD && operation <= NMSUB && found_ & XX && s->fpscr & 2)

static __attribute__((noinline)) u32 invalid(int operation, u64 a, u64 b, u64 c)
{
    switch (operation) {
    case ADD: case SUB:
        return VXISI;
    case MUL:
        return VXIMZ;
    case DIV:
        return is_zero(a) ? VXZDZ : VXIDI;
    case SQRT:
        return VXSQRT;
    default:
        return (is_infinite(a) && is_zero(c)) || (is_zero(a) && is_infinite(c)) ? VXIMZ : VXISI;
    }
}

/* The operations of one precision. */
#define OPERATIONS_OF(type, name, root, fused)                          \
    static inline type name(int operation, type a, type b, type c)      \
    {                                                                   \
        switch (operation) {                                            \
        case ADD:                                                       \
            return a + b;                                               \
        case SUB:                                                       \
            return a - b;                                               \
        case MUL:                                                       \
            return a * c;                                               \
        case DIV:                                                       \
            return a / b;                                               \
        case SQRT:                                                      \
            return root(b);                                             \
        case ROUND:                                                     \
            return b;                                                   \
        case MADD: case NMADD:                                          \
            return fused(a, c, b);                                      \
        default:                                                        \
            return fused(a, c, -b);                                     \
        }                                                               \
    }
OPERATIONS_OF(double, of_doubles, sqrt, fma)
OPERATIONS_OF(float, of_floats, sqrtf, fmaf)

static inline double compute_double(int operation, u64 a, u64 b, u64 c, unsigned *flags)
{
    double x = as_double(a), y = as_double(b), z = as_double(c), result;
    clear_flags();
    HERE(x);
    HERE(y);
    HERE(z);
    result = of_doubles(operation, x, y, z);
    HERE(result);
    *flags = raised();
    return result;
}
static inline float compute_float(int operation, double a, double b, double c, unsigned *flags)
{
    float x = (float)a, y = (float)b, z = (float)c, result;
    clear_flags();
    HERE(x);
    HERE(y);
    HERE(z);
    result = of_floats(operation, x, y, z);
    HERE(result);
    *flags = raised();
    return result;
}
static float rounded_once(double value, unsigned *flags)
{
    float result;
    clear_flags();
    HERE(value);
    result = (float)value;
    HERE(result);
    *flags = raised();
    return result;
}

/* The exact result, to the precision of a double, with a last bit that tells that it is not. */
static double to_odd(int operation, u64 a, u64 b, u64 c, unsigned *flags)
{
    unsigned old = set_rounding(1);
    u64 result = of_double(compute_double(operation, a, b, c, flags));
    reset_rounding(old);
    return as_double(*flags & FE_INEXACT ? result | 1 : result);
}

/* Whether a result of the least normal size was less before it was rounded. */
static __attribute__((noinline)) int was_tiny(int operation, int single, u64 a, u64 b, u64 c)
{
    unsigned flags;
    double exact = fabs(to_odd(operation, a, b, c, &flags));
    return exact < (single ? 0x1p-126 : 0x1p-1022);
}

static inline u64 computed(int operation, int single, u64 a, u64 b, u64 c, unsigned *flags)
{
    double result;
    if (!single) {
        result = compute_double(operation, a, b, c, flags);
    } else if (operation != ROUND && fits_single(a) && fits_single(b) && fits_single(c)) {
        result = compute_float(operation, as_double(a), as_double(b), as_double(c), flags);
    } else {
        unsigned of_exact;
        double exact = to_odd(operation, a, b, c, &of_exact);
        if (exact == 0 && !(of_exact & FE_INEXACT)) /* its sign is that of the mode */
            exact = compute_double(operation, a, b, c, &of_exact);
        result = rounded_once(exact, flags);
        *flags |= of_exact & (FE_INEXACT | FE_DIVBYZERO);
    }
    if (unlikely(*flags & FE_INEXACT && !(*flags & FE_UNDERFLOW)
            && fabs(result) == (single ? 0x1p-126 : 0x1p-1022))
        && was_tiny(operation, single, a, b, c))
        *flags |= FE_UNDERFLOW;
    return of_double(result);
}

/* Compute with the operands of fmadd: a and b, a and c, or all; others are 0 or 1. */
static __attribute__((noinline)) u64 arithmetic(
    int operation, int single, u64 a, u64 b, u64 c, u32 *found)
{
    unsigned flags;
    if (unlikely(is_nan(a) || is_nan(b) || is_nan(c))) {
        if (is_signaling(a) || is_signaling(b) || is_signaling(c))
            *found |= VXSNAN;
        if (operation >= MADD && ((is_infinite(a) && is_zero(c)) || (is_zero(a) && is_infinite(c))))
            *found |= VXIMZ;
        u64 nan = (is_nan(a) ? a : is_nan(b) ? b : c) | QUIET;
        return single ? nan & ~(u64)0x1fffffff : nan;
    }
    u64 result = computed(operation, single, a, b, c, &flags);
    if (unlikely(is_nan(result))) {
        *found |= invalid(operation, a, b, c);
        return DEFAULT_NAN;
    }
    if (flags & FE_INEXACT)
        *found |= XX | FI;
    if (unlikely(flags & (FE_OVERFLOW | FE_UNDERFLOW | FE_DIVBYZERO))) {
        *found |= flags & FE_DIVBYZERO ? ZX : 0;
        *found |= flags & FE_OVERFLOW ? OX : 0;
        *found |= flags & FE_UNDERFLOW && flags & FE_INEXACT ? UX : 0;
    }
    return operation == NMADD || operation == NMSUB ? result ^ SIGN : result;
}

/* What an arithmetic instruction leaves in FPSCR. */
static inline void set_status(struct state *s, u32 found, u32 class)
{
    s->fpscr = (s->fpscr & ~(u64)(FR | FI | FPRF)) | class << 12;
    raise_bits(s, found);
}

static inline void set_comparison(struct state *s, u32 bits)
{
    s->fpscr = (s->fpscr & ~(u64)FPCC) | bits << 12;
}

static u32 compare_floats(struct state *s, u64 a, u64 b, int ordered)
{
    u32 found = 0, bits;
    if (is_nan(a) || is_nan(b)) {
        int signaling = is_signaling(a) || is_signaling(b);
        bits = 1;
        if (signaling)
            found |= VXSNAN;
        if (ordered)
            found |= VXVC;
    } else {
        double x = as_double(a), y = as_double(b);
        bits = x < y ? 8 : x > y ? 4 : 2;
    }
    set_comparison(s, bits);
    raise_bits(s, found);
    return bits;
}

static double in_mode(double value, unsigned mode)
{
    return mode == 0 ? rint(value) : mode == 1 ? trunc(value) : mode == 2 ? ceil(value) : floor(value);
}

/* To an integer; `mode` is that of FPSCR, `limit` two to the number of bits. */
static u64 to_integer(u64 bits, unsigned mode, int is_signed, int size, u32 *found)
{
    double value = as_double(bits), high = size == 64 ? 0x1p64 : 0x1p32, low = 0;
    u64 least = 0, most = size == 64 ? ~(u64)0 : 0xffffffff;
    if (is_signed) {
        high /= 2, low = -high, most >>= 1;
        least = ~most;
    }
    if (is_nan(bits)) {
        *found |= VXCVI | (is_signaling(bits) ? VXSNAN : 0);
        return size == 64 ? least : (u32)least;
    }
    double rounded = in_mode(value, mode);
    if (rounded < low || rounded >= high) {
        *found |= VXCVI;
        return rounded < low ? least : most;
    }
    if (rounded != value)
        *found |= XX | FI;
    return is_signed ? (u64)(s64)rounded : rounded >= 0x1p63 ? (u64)(s64)(rounded - 0x1p63) ^ SIGN : (u64)(s64)rounded;
}

static u64 from_integer(u64 value, int is_signed, int single, u32 *found)
{
    double result;
    clear_flags();
    HERE(value);
    if (single)
        result = is_signed ? (float)(s64)value : (float)value;
    else
        result = is_signed ? (double)(s64)value : (double)value;
    HERE(result);
    if (raised() & FE_INEXACT)
        *found |= XX | FI;
    return of_double(result);
}

enum { AND_TELL = 4 };
/* To an integer of the same format: nearest with ties away for -1, or a mode, to which AND_TELL adds
 * that the result is inexact. */
static u64 to_integral(u64 bits, int mode, u32 *found)
{
    if (is_nan(bits)) {
        if (is_signaling(bits))
            *found |= VXSNAN;
        return bits | QUIET;
    }
    double value = as_double(bits), result = mode < 0 ? round(value) : in_mode(value, mode & 3);
    if (mode > 0 && mode & AND_TELL && result != value)
        *found |= XX | FI;
    return of_double(result) | (bits & SIGN);
}

#define NEEDS_FPSCR                       \
    do {                                  \
        if (s->fpscr & (ENABLED | NI))    \
            UNDEFINED;                    \
    } while (0)
#define CR1_IF_RC                              \
    do {                                       \
        if (RC)                                \
            set_field(s, 1, s->fpscr >> 28 & 15);   \
    } while (0)
#define SET_FRT(value)        \
    do {                      \
        s->vs[FT][0] = value; \
        s->vs[FT][1] = 0;     \
    } while (0)
#define ARITHMETIC(operation, single, a, b, c)                                  \
    do {                                                                        \
        u32 found_ = 0;                                                         \
        NEEDS_FPSCR;                                                            \
        u64 r_ = arithmetic(operation, single, a, b, c, &found_);               \
        if (DEPENDS_ON_SIGN(operation))                                          \
            UNDEFINED;                                                          \
        set_status(s, found_, class_of(r_));     \
        SET_FRT(r_);                                                            \
        CR1_IF_RC;                                                              \
    } while (0)
#define TO_INTEGER(mode, is_signed, size)                                       \
    do {                                                                        \
        u32 found_ = 0;                                                         \
        NEEDS_FPSCR;                                                            \
        u64 r_ = to_integer(FRB, mode, is_signed, size, &found_);               \
        s->fpscr &= ~(u64)(FR | FI);                                                 \
        if (found_ & VXCVI)                                                     \
            s->fpscr = (s->fpscr & ~(u64)FPRF) | 0x11000;                       \
        raise_bits(s, found_);                                                  \
        SET_FRT(r_);                                                            \
        CR1_IF_RC;                                                              \
    } while (0)
#define FROM_INTEGER(is_signed, single)                                         \
    do {                                                                        \
        u32 found_ = 0;                                                         \
        NEEDS_FPSCR;                                                            \
        u64 r_ = from_integer(FRB, is_signed, single, &found_);                 \
        set_status(s, found_, class_of(r_));                                    \
        SET_FRT(r_);                                                            \
        CR1_IF_RC;                                                              \
    } while (0)
#define TO_INTEGRAL(mode)                                                       \
    do {                                                                        \
        u32 found_ = 0;                                                         \
        NEEDS_FPSCR;                                                            \
        u64 r_ = to_integral(FRB, mode, &found_);                               \
        set_status(s, found_, class_of(r_));                                    \
        SET_FRT(r_);                                                            \
        CR1_IF_RC;                                                              \
    } while (0)

/* Set bits of FPSCR; its summaries follow. Return 0, with nothing done, if that would trap. */
static inline int set_fpscr(struct state *s, u64 mask, u64 value)
{
    mask &= ALL_BITS & ~(u64)(FEX | VX);
    u64 made = ((s->fpscr & ~mask) | (value & mask)) & ~(u64)(FEX | VX);
    if (made & INVALID)
        made |= VX;
    if ((made >> 25 & 15 & made >> 3) || (made & VX && made & 128))
        return 0;
    s->fpscr = made;
    set_rounding(made & 3);
    return 1;
}
#define SET_FPSCR(mask, value)              \
    do {                                    \
        if (!set_fpscr(s, mask, value))     \
            UNDEFINED;                      \
    } while (0)

/* What POWER9 does more than mffs, as which earlier processors take its forms. The C library relies
 * on that; a 64-bit program is taken to run on the one, a 32-bit program on the others. */
#define OF_POWER9(statements) \
    do {                      \
        if (INST_BITS == 64) { \
            statements;       \
        }                     \
    } while (0)

static inline u32 of_nibbles(unsigned fields)
{
    u32 mask = 0;
    for (unsigned n = 0; n < 8; n++)
        if (fields >> n & 1)
            mask |= 15u << 4 * n;
    return mask;
}
