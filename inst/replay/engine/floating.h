/* Floating point of this machine: exceptions (but for invalid operations) and the rounding mode,
 * which is 0 to the nearest, 1 to zero, 2 up, 3 down. */

#if defined __SSE2__
static inline void clear_flags(void)
{
    _mm_setcsr(_mm_getcsr() & ~63u);
}
static inline unsigned raised(void)
{
    unsigned flags = _mm_getcsr();
    return (flags & 32 ? FE_INEXACT : 0) | (flags & 16 ? FE_UNDERFLOW : 0)
        | (flags & 8 ? FE_OVERFLOW : 0) | (flags & 4 ? FE_DIVBYZERO : 0);
}
static inline unsigned set_rounding(unsigned mode)
{
    static const unsigned modes[] = {0, 0x6000, 0x4000, 0x2000};
    unsigned old = _mm_getcsr();
    _mm_setcsr((old & ~0x6000u) | modes[mode]);
    return old;
}
static inline void reset_rounding(unsigned old)
{
    _mm_setcsr((_mm_getcsr() & ~0x6000u) | (old & 0x6000));
}
#else
static inline void clear_flags(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}
static inline unsigned raised(void)
{
    return fetestexcept(FE_ALL_EXCEPT);
}
static inline unsigned set_rounding(unsigned mode)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    int old = fegetround();
    fesetround(modes[mode]);
    return old;
}
static inline void reset_rounding(unsigned old)
{
    fesetround(old);
}
#endif
/* A value that the compiler must not compute before, or after, what changes the flags. */
#define HERE(value) __asm__ volatile("" : "+m"(value) : : "memory")

static inline double as_double(u64 bits)
{
    double value;
    memcpy(&value, &bits, 8);
    return value;
}
static inline u64 of_double(double value)
{
    u64 bits;
    memcpy(&bits, &value, 8);
    return bits;
}
static inline float as_float(u32 bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
static inline u32 of_float(float value)
{
    u32 bits;
    memcpy(&bits, &value, 4);
    return bits;
}
