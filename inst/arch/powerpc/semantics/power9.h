/* What POWER9 added: extremes, classes and exponents of numbers, rotations under masks, products by
 * ten. */

/* Of two numbers `a`, if it is the greater (or less) one, otherwise b; b, too, if one is no number. */
static u64 chosen(u64 a, u64 b, int of_least, u32 *found)
{
    if (is_signaling(a) || is_signaling(b))
        *found |= VXSNAN;
    if (is_nan(a) || is_nan(b))
        return b;
    return of_least ? as_double(a) < as_double(b) ? a : b : as_double(a) > as_double(b) ? a : b;
}

/* The emulator takes the first of two zeros, the architecture the second. */
#define EXTREMES_OF_ZEROS                                              \
    if (is_zero(XA[0]) && is_zero(XB[0]) && XA[0] != XB[0])            \
        UNDEFINED
#define CLASSES (W(6, 6) << 6 | W(2, 2) << 5 | FA)

/* Return the bit of a number's class: NaN, infinities, zeros and denormal numbers, from the highest
 * on, the positive ones first; 0 for others. */
static inline u32 data_class(int is_negative, u64 exponent, u64 largest, u64 fraction)
{
    if (exponent == largest)
        return fraction ? 64 : 32 >> is_negative;
    return exponent ? 0 : (fraction ? 2 : 8) >> is_negative;
}
static inline u32 data_class_of(u64 bits)
{
    return data_class(bits >> 63, bits >> 52 & 0x7ff, 0x7ff, bits << 12);
}
static inline u32 data_class_of_single(u32 bits)
{
    return data_class(bits >> 31, bits >> 23 & 0xff, 0xff, bits << 9);
}
static u32 compare_exponents(struct state *s, u64 a, u64 b)
{
    u32 one = a >> 52 & 0x7ff, other = b >> 52 & 0x7ff;
    u32 bits = is_nan(a) || is_nan(b) ? 1 : one < other ? 8 : one > other ? 4 : 2;
    set_comparison(s, bits);
    return bits;
}
static u32 test_class(struct state *s, u64 sign, int is_among)
{
    u32 bits = sign >> 63 << 3 | (is_among ? 2 : 0);
    set_comparison(s, bits);
    return bits;
}
static inline u64 significand_of_double(u64 bits)
{
    u64 exponent = bits >> 52 & 0x7ff;
    return (bits & ((u64)1 << 52) - 1) | (u64)(exponent && exponent != 0x7ff) << 52;
}
static inline u32 significand_of_single(u32 bits)
{
    u32 exponent = bits >> 23 & 0xff;
    return (bits & 0x7fffff) | (u32)(exponent && exponent != 0xff) << 23;
}

/* An element of 32 or 64 bits, rotated by the count in an element of VB, under the mask there. */
static inline u64 rotated_within(u64 value, u64 how, unsigned bits, u64 other)
{
    unsigned skipped = 64 - bits, first = how >> 16 & (bits - 1), last = how >> 8 & (bits - 1);
    u64 turned = rotated64(bits == 64 ? value : value << 32 | value, how & (bits - 1));
    u64 mask = mask64(first + skipped, last + skipped);
    return low_bits((turned & mask) | (other & ~mask), bits);
}
/* Ten times a number of 128 bits and a digit: the lower half, and what is carried. */
static inline u64 times_ten(u128 value, unsigned digit, u128 *low)
{
    u128 lower = (u128)(u64)value * 10 + digit, upper = (value >> 64) * 10 + (lower >> 64);
    *low = upper << 64 | (u64)lower;
    return upper >> 64;
}
