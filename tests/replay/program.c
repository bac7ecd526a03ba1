/* A program without libraries that computes in all types and writes what comes of it. */
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

enum { COUNT = 67 };
static u8 output[16384];
static unsigned used;
static u64 seed = 88172645463325252u;

static void put(const void *bytes, unsigned size)
{
    for (unsigned n = 0; n < size; n++)
        output[used++] = ((const u8 *)bytes)[n];
}

void *memset(void *to, int value, __SIZE_TYPE__ size)
{
    for (u8 *byte = to; size--;)
        *byte++ = value;
    return to;
}

void *memcpy(void *to, const void *from, __SIZE_TYPE__ size)
{
    for (u8 *byte = to; size--; from = (const u8 *)from + 1)
        *byte++ = *(const u8 *)from;
    return to;
}

static u64 next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

#define EACH for (int i = 0; i < COUNT; i++)
#define PUT(type, value) do { type v_ = (value); put(&v_, sizeof v_); } while (0)
#define COMMON(T)                                                                              \
    static T x_##T[COUNT], y_##T[COUNT], z_##T[COUNT];                                         \
    static __attribute__((noinline)) void add_##T(T *x, T *y, T *z) { EACH x[i] = y[i] + z[i] * y[i]; } \
    static __attribute__((noinline)) void choose_##T(T *x, T *y) { EACH x[i] = y[i] > 3 ? y[i] - 1 : y[i] * 2; } \
    static __attribute__((noinline)) T sum_##T(T *x) { T s = 0; EACH s += x[i]; return s; }    \
    static __attribute__((noinline)) T most_##T(T *x) { T s = 0; EACH s = x[i] > s ? x[i] : s; return s; } \
    static __attribute__((noinline)) void turn_##T(T *x, T *y) { EACH x[i] = -y[COUNT - 1 - i]; } \
    static __attribute__((noinline)) void fill_##T(T *x, T v) { EACH x[i] = v; }               \
    static void common_##T(void)                                                               \
    {                                                                                          \
        EACH y_##T[i] = (T)(s64)next() / 16, z_##T[i] = (T)(next() & 127);                     \
        add_##T(x_##T, y_##T, z_##T); PUT(T, sum_##T(x_##T)); PUT(T, most_##T(x_##T));         \
        choose_##T(x_##T, z_##T); PUT(T, sum_##T(x_##T));                                      \
        turn_##T(x_##T, y_##T); put(x_##T, sizeof x_##T); fill_##T(x_##T, y_##T[3]);           \
        PUT(T, sum_##T(x_##T));                                                                \
    }
#define INTEGER(T)                                                                             \
    COMMON(T)                                                                                  \
    static __attribute__((noinline)) void logic_##T(T *x, T *y, T *z) { EACH x[i] = (y[i] << 3) ^ (z[i] >> 2) | (~y[i] & z[i]); } \
    static __attribute__((noinline)) void shift_##T(T *x, T *y, T *z) { EACH x[i] = (y[i] << (z[i] & 7)) + (y[i] >> (z[i] & 7)); } \
    static __attribute__((noinline)) T size_##T(T *x) { T s = 0; EACH s += x[i] < 0 ? -x[i] : x[i]; return s; } \
    static __attribute__((noinline)) T part_##T(T *x) { T s = 0; EACH s += x[i] / 7 + x[i] % 11; return s; } \
    static __attribute__((noinline)) T parts_##T(T *x, T *y) { T s = 0; EACH s += x[i] / (y[i] | 1); return s; } \
    static void all_##T(void)                                                                  \
    {                                                                                          \
        common_##T(); logic_##T(x_##T, y_##T, z_##T); PUT(T, sum_##T(x_##T));                  \
        shift_##T(x_##T, y_##T, z_##T); PUT(T, sum_##T(x_##T)); PUT(T, size_##T(y_##T));       \
        PUT(T, part_##T(y_##T)); PUT(T, parts_##T(y_##T, z_##T));                              \
    }
#define CONVERT(A, B)                                                                          \
    static __attribute__((noinline)) void to_##A##_##B(A *x, B *y) { EACH x[i] = (A)y[i]; }    \
    static void convert_##A##_##B(void)                                                        \
    {                                                                                          \
        EACH y_##B[i] = (B)(next() & 63);                                                      \
        to_##A##_##B(x_##A, y_##B); put(x_##A, sizeof x_##A);                                  \
    }
INTEGER(s8) INTEGER(s16) INTEGER(s32) INTEGER(s64)
INTEGER(u8) INTEGER(u16) INTEGER(u32) INTEGER(u64)
COMMON(float) COMMON(double)
CONVERT(s8, s16) CONVERT(s16, s8) CONVERT(s32, s16) CONVERT(s64, s32) CONVERT(s32, s64)
CONVERT(float, double) CONVERT(double, float) CONVERT(s32, float) CONVERT(float, s32)
CONVERT(double, s64) CONVERT(s64, double) CONVERT(double, s32) CONVERT(s32, double)
CONVERT(u32, double) CONVERT(double, u32) CONVERT(float, u32) CONVERT(u8, double)

static __attribute__((noinline)) double roots(double a, double b)
{
#ifdef _ARCH_PPCSQ
    a += __builtin_sqrt(__builtin_fabs(b));
#endif
    return __builtin_fabs(a) * b - a / b + __builtin_copysign(a, b);
}

static __attribute__((noinline)) int compared(double a, double b)
{
    return (a < b) + (a > b) * 2 + (a == b) * 4 + (a != b) * 8 + __builtin_isnan(a) * 16;
}

static __attribute__((noinline)) int chosen(int n, int (*next_one)(int))
{
    switch (n % 9) {
    case 0: return 3;
    case 1: return next_one(n) * 5;
    case 2: return n << 2;
    case 3: return -n;
    case 4: return n ^ 55;
    case 5: return next_one(n - 3) & 15;
    case 6: return n / 3;
    default: return 1;
    }
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static long call(long number, long a, const void *b, long c)
{
#ifdef __powerpc__
    register long r0 __asm__("r0") = number, r3 __asm__("r3") = a, r5 __asm__("r5") = c;
    register const void *r4 __asm__("r4") = b;
    __asm__ volatile("sc" : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5) : : "memory", "cr0", "ctr", "r6",
        "r7", "r8", "r9", "r10", "r11", "r12");
    return r3;
#elif defined __sparc__
    register long g1 __asm__("g1") = number, o0 __asm__("o0") = a, o2 __asm__("o2") = c;
    register const void *o1 __asm__("o1") = b;
#ifdef __arch64__
    __asm__ volatile("ta 0x6d" : "+r"(o0) : "r"(g1), "r"(o1), "r"(o2) : "memory", "cc");
#else
    __asm__ volatile("ta 0x10" : "+r"(o0) : "r"(g1), "r"(o1), "r"(o2) : "memory", "cc");
#endif
    return o0;
#else
#error "no system calls"
#endif
}

void _start(void)
{
    all_s8(), all_s16(), all_s32(), all_s64(), all_u8(), all_u16(), all_u32(), all_u64();
    common_float(), common_double();
    convert_s8_s16(), convert_s16_s8(), convert_s32_s16(), convert_s64_s32(), convert_s32_s64();
    convert_float_double(), convert_double_float(), convert_s32_float(), convert_float_s32();
    convert_double_s64(), convert_s64_double(), convert_double_s32(), convert_s32_double();
    convert_u32_double(), convert_double_u32(), convert_float_u32(), convert_u8_double();
    for (int n = 1; n < 30; n++) {
        PUT(double, roots(x_double[n], y_double[n]));
        PUT(s32, compared(x_double[n], y_double[n]));
        PUT(s32, chosen(n, fibonacci));
        PUT(s32, __builtin_popcountll(next()) + __builtin_clzll(next()) + __builtin_ctzll(next() | 256));
        PUT(u32, __builtin_bswap32((u32)next()));
    }
    call(4, 1, output, used);
    call(1, 0, 0, 0);
}
