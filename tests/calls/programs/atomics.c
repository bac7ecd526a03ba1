/* Every function of libatomic that has a wrapper, on plain memory: what each returns and leaves. */
#include <stdio.h>
#include <string.h>

#define FUNCTION(NAME) __asm__("__atomic_" NAME)
#define CHANGE(N, T, OP, C)                                                                     \
    extern T fetch_##OP##_##N(volatile void *, T, int) FUNCTION("fetch_" #OP "_" #N);           \
    extern T OP##_fetch_##N(volatile void *, T, int) FUNCTION(#OP "_fetch_" #N);                \
    static void OP##N(void)                                                                     \
    {                                                                                           \
        volatile T object = (T)0x5a6978f0e1d2c3b4ull;                                           \
        show(#OP, fetch_##OP##_##N(&object, (T)0x3c3c3c3cf1f2f3f4ull, 0));                      \
        show("", object);                                                                       \
        show("", OP##_fetch_##N(&object, (T)0x1234567890abcdefull, 5));                         \
        show("", object);                                                                       \
    }
#define SIZE(N, T)                                                                              \
    extern T load_##N(const volatile void *, int) FUNCTION("load_" #N);                         \
    extern void store_##N(volatile void *, T, int) FUNCTION("store_" #N);                       \
    extern T exchange_##N(volatile void *, T, int) FUNCTION("exchange_" #N);                    \
    extern _Bool compare_##N(volatile void *, void *, T, int, int)                              \
        FUNCTION("compare_exchange_" #N);                                                       \
    CHANGE(N, T, add, +) CHANGE(N, T, sub, -) CHANGE(N, T, and, &)                              \
    CHANGE(N, T, or, |) CHANGE(N, T, xor, ^) CHANGE(N, T, nand, &)                              \
    static void all##N(void)                                                                    \
    {                                                                                           \
        volatile T object = (T)0x8182838485868788ull;                                           \
        T expected = 3;                                                                         \
        show("load", load_##N(&object, 2));                                                     \
        store_##N(&object, (T)0x7172737475767778ull, 3);                                        \
        show("store", object);                                                                  \
        show("exchange", exchange_##N(&object, (T)0x6162636465666768ull, 4));                   \
        show("", object);                                                                       \
        show("compare", compare_##N(&object, &expected, 9, 4, 0));                              \
        show("", expected);                                                                     \
        show("", compare_##N(&object, &expected, (T)~0ull, 5, 5));                              \
        show("", object);                                                                       \
        add##N(), sub##N(), and##N(), or##N(), xor##N(), nand##N();                             \
    }

static void show(const char *what, unsigned long long value)
{
    printf("%s %llx\n", what, value);
}

SIZE(1, unsigned char)
SIZE(2, unsigned short)
SIZE(4, unsigned)
SIZE(8, unsigned long long)
/* The emulator never ends libatomic's loops of lqarx and stqcx. on little-endian PowerPC. */
#if !(defined __powerpc64__ && _CALL_ELF == 2)
#define SIXTEEN
#endif
#if defined SIXTEEN && defined __SIZEOF_INT128__
SIZE(16, unsigned __int128)
#endif

extern void load_any(size_t, const volatile void *, void *, int) FUNCTION("load");
extern void store_any(size_t, volatile void *, void *, int) FUNCTION("store");
extern void exchange_any(size_t, volatile void *, void *, void *, int) FUNCTION("exchange");
extern _Bool compare_any(size_t, volatile void *, void *, void *, int, int)
    FUNCTION("compare_exchange");

static void any(size_t size)
{
    char object[32] = "what the object is at first....", other[32] = "another that is stored later..";
    char got[32] = "";
    load_any(size, object, got, 5);
    printf("%zu %s\n", size, got);
    store_any(size, object, other, 5);
    printf("%s\n", object);
    got[0] = '!';
    printf("%d %s\n", compare_any(size, object, got, other, 5, 0), got);
    printf("%d %s\n", compare_any(size, object, got, "a text that is as long as those", 5, 0), object);
    exchange_any(size, object, other, got, 5);
    printf("%s %s\n", object, got);
}

int main(void)
{
    all1(), all2(), all4(), all8();
#if defined SIXTEEN && defined __SIZEOF_INT128__
    all16();
#endif
#ifdef SIXTEEN
    any(12);        /* done as 16 bytes there */
#endif
    any(1), any(3), any(8), any(24), any(31);
    return 0;
}
