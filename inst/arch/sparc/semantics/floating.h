/* Floating point as SPARC has it, on this machine's arithmetic of the same formats.
 *
 * Differences that are made up for: which NaN is the result, the default NaN, and what a number
 * that is too large becomes as an integer. Of two NaN a quiet one is the result, or the larger: as
 * QEMU 7.2 has it; the architecture would have the second operand's. */

#undef BEGIN_RUN
#define BEGIN_RUN set_rounding(s->fsr >> 30 & 3);

enum {
    NX = 1, DZ = 2, UF = 4, OF = 8, NV = 16, /* of FSR.cexc, and 5 bits higher of aexc */
    CURRENT = 31, TRAP_TYPE = 7 << 14, ENABLED_LOW = 23
};
#define SIGN ((u64)1 << 63)
#define QUIET ((u64)1 << 51)
#define QUIET_SINGLE ((u32)1 << 22)
#define DEFAULT_NAN (~SIGN)
#define DEFAULT_NAN_SINGLE 0x7fffffffu

static inline int is_nan(u64 bits)
{
    return (bits & ~SIGN) > (u64)0x7ff << 52;
}
static inline int is_nan_single(u32 bits)
{
    return bits << 1 > 0xffu << 24;
}
static inline int is_signaling(u64 bits)
{
    return is_nan(bits) && !(bits & QUIET);
}
static inline int is_signaling_single(u32 bits)
{
    return is_nan_single(bits) && !(bits & QUIET_SINGLE);
}

static inline u32 exceptions(void)
{
    unsigned flags = raised();
    if (likely(!flags))
        return 0;
    return (flags & FE_INEXACT ? NX : 0) | (flags & FE_DIVBYZERO ? DZ : 0)
        | (flags & FE_UNDERFLOW ? UF : 0) | (flags & FE_OVERFLOW ? OF : 0);
}

enum operation { ADD, SUB, MUL, DIV, SQRT };

#define OPERATE(name, type, bits_type, to, from, is_nan, is_signaling, quiet, default_nan, root)    \
    static inline bits_type name(int operation, bits_type a, bits_type b, u32 *found)             \
    {                                                                                              \
        if (unlikely(is_nan(a) || is_nan(b))) {                                                    \
            *found = is_signaling(a) || is_signaling(b) ? NV : 0;                                  \
            if (!is_nan(a) || !is_nan(b))                                                          \
                return (is_nan(a) ? a : b) | quiet;                                                \
            if (is_signaling(a) != is_signaling(b))                                                \
                return is_signaling(a) ? b : a;                                                    \
            bits_type sizes[] = {a << 1, b << 1};                                                  \
            return (sizes[0] == sizes[1] ? a & b : sizes[0] > sizes[1] ? a : b) | quiet;           \
        }                                                                                          \
        type x = to(a), y = to(b), result;                                                         \
        clear_flags();                                                                             \
        HERE(x);                                                                                   \
        HERE(y);                                                                                   \
        switch (operation) {                                                                       \
        case ADD: result = x + y; break;                                                           \
        case SUB: result = x - y; break;                                                           \
        case MUL: result = x * y; break;                                                           \
        case DIV: result = x / y; break;                                                           \
        default: result = root(y);                                                                 \
        }                                                                                          \
        HERE(result);                                                                              \
        *found = exceptions();                                                                     \
        bits_type bits = from(result);                                                             \
        if (unlikely(is_nan(bits))) {                                                              \
            *found = NV;                                                                           \
            return default_nan;                                                                    \
        }                                                                                          \
        return bits;                                                                               \
    }
OPERATE(of_doubles, double, u64, as_double, of_double, is_nan, is_signaling, QUIET, DEFAULT_NAN, sqrt)
OPERATE(of_singles, float, u32, as_float, of_float, is_nan_single, is_signaling_single, QUIET_SINGLE,
    DEFAULT_NAN_SINGLE, sqrtf)

static inline u64 widened(u32 bits, u32 *found)
{
    *found = is_signaling_single(bits) ? NV : 0;
    if (unlikely(is_nan_single(bits)))
        return (u64)(bits >> 31) << 63 | (u64)0x7ff << 52 | (u64)(bits & 0x7fffff) << 29 | QUIET;
    return of_double((double)as_float(bits));
}

static inline u32 narrowed(u64 bits, u32 *found)
{
    if (unlikely(is_nan(bits))) {
        *found = is_signaling(bits) ? NV : 0;
        return bits >> 63 << 31 | 0xffu << 23 | (bits >> 29 & 0x7fffff) | QUIET_SINGLE;
    }
    double value = as_double(bits);
    clear_flags();
    HERE(value);
    float result = (float)value;
    HERE(result);
    *found = exceptions();
    return of_float(result);
}

#define FROM_INTEGER(name, type)          \
    static inline type name(s64 value, u32 *found) \
    {                                     \
        clear_flags();                    \
        HERE(value);                      \
        type result = (type)value;        \
        HERE(result);                     \
        *found = exceptions();            \
        return result;                    \
    }
FROM_INTEGER(integer_to_double, double)
FROM_INTEGER(integer_to_float, float)

/* The integer part of a number, as one of 32 or 64 bits. */
static inline s64 truncated(u64 bits, unsigned size, u32 *found)
{
    double value = as_double(bits), limit = size == 32 ? 0x1p31 : 0x1p63;
    s64 most = size == 32 ? INT32_MAX : INT64_MAX;
    *found = NV;
    if (is_nan(bits) || value >= limit)
        return most;
    if (size == 32 ? value <= -limit - 1 : value < -limit)
        return -most - 1;
    s64 result = (s64)value;
    *found = (double)result != value ? NX : 0;
    return result;
}

/* The condition code of two numbers: 0 equal, 1 less, 2 greater, 3 unordered. */
static inline u32 compared(u64 a, u64 b)
{
    if (is_nan(a) || is_nan(b))
        return 3;
    double x = as_double(a), y = as_double(b);
    return x < y ? 1 : x > y ? 2 : 0;
}

static inline void set_fcc(struct state *s, unsigned number, u32 code)
{
    unsigned low = number ? 30 + 2 * number : 10;
    s->fsr = (s->fsr & ~((u64)3 << low)) | (u64)code << low;
}

/* Exceptions of an instruction, before its result is stored: it is not executed if one traps. */
#define EXCEPTIONS(found)                                                        \
    do {                                                                         \
        u32 found_ = (found);                                                    \
        if (unlikely(found_ & s->fsr >> ENABLED_LOW))                            \
            STOP(TRAP);                                                          \
        s->fsr = (s->fsr & ~(u64)(TRAP_TYPE | CURRENT)) | found_ << 5 | found_;  \
    } while (0)

#define S1 s->f[F1]
#define S2 s->f[F2]
#define D1 get_double(s, DOUBLE(F1))
#define D2 get_double(s, DOUBLE(F2))
#define TO_SD(value) (s->f[FD] = (u32)(value))
#define TO_DD(value) set_double(s, DOUBLE(FD), value)
#define SINGLE(operation, a, b)                       \
    do {                                              \
        u32 found, r_ = of_singles(operation, a, b, &found); \
        EXCEPTIONS(found);                            \
        TO_SD(r_);                                    \
    } while (0)
#define DOUBLES(operation, a, b)                      \
    do {                                              \
        u32 found;                                    \
        u64 r_ = of_doubles(operation, a, b, &found); \
        EXCEPTIONS(found);                            \
        TO_DD(r_);                                    \
    } while (0)
#define COMPARE(a, b, is_invalid)                     \
    do {                                              \
        u64 a_ = (a), b_ = (b);                       \
        EXCEPTIONS((is_invalid) ? NV : 0);            \
        set_fcc(s, FD & 3, compared(a_, b_));         \
    } while (0)

/* VIS: numbers of some bits in a register, here from the least significant one on. */
#define LANE(value, bits, low) ((s64)((u64)(value) << (64 - (low) - (bits))) >> (64 - (bits)))
#define EACH_LANE(first, second, bits, statement)             \
    u64 a = (first), b = (second), r = 0;                     \
    for (unsigned low = 0; low < 64; low += (bits)) {         \
        s64 x = LANE(a, bits, low), y = LANE(b, bits, low);   \
        statement;                                            \
    }
#define LANES(first, second, bits, result) \
    EACH_LANE(first, second, bits, r |= ((u64)(result) & (((u64)1 << (bits)) - 1)) << low)
#define LANES_IF(bits, condition) EACH_LANE(D1, D2, bits, r |= (u64)(condition) << low / (bits))

static inline u64 within(s64 value, s64 least, s64 most)
{
    return (u64)(value < least ? least : value > most ? most : value);
}
