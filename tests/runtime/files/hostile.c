/* Hooks that record what they are told, and change everything that a function may change. */
#include <inst/hooks.h>
#include <inst/runtime.h>

volatile struct {
    uint32_t count, size, stores;
    inst_address address, pc;
    uint64_t value, low;
} told;

enum { KEPT = 4096 };

/* The first reports, in order. */
struct report {
    uint32_t size, stores;
    inst_address address;
    uint64_t value, low;
} reports[KEPT];
volatile uint32_t report_count;

#if defined(__sparc__) && defined(__arch64__)
static inline void spoil(void)
{
    __asm__ __volatile__(
        ".register %%g2, #scratch\n\t.register %%g3, #scratch\n\t.register %%g6, #scratch\n\t"
        "set 0x5a5a5a5a, %%g1\n\tsllx %%g1, 13, %%g1\n\tmov %%g1, %%g2\n\tmov %%g1, %%g3\n\t"
        "mov %%g1, %%g4\n\tmov %%g1, %%g5\n\tmov %%g1, %%g6\n\tmov %%g1, %%o0\n\t"
        "mov %%g1, %%o1\n\tmov %%g1, %%o2\n\tmov %%g1, %%o3\n\tmov %%g1, %%o4\n\t"
        "mov %%g1, %%o5\n\twr %%g1, 0, %%y\n\twr %%g0, 0x11, %%asi\n\t"
        "wr %%g1, 0, %%asr19\n\taddcc %%g1, %%g1, %%g0\n\t"
        "stx %%g1, [%%sp+2175]\n\tldd [%%sp+2175], %%f0\n\t"
#define F(N) "fmovd %%f0, %%f" #N "\n\t"
        F(2) F(4) F(6) F(8) F(10) F(12) F(14) F(16) F(18) F(20) F(22) F(24) F(26) F(28) F(30)
        F(32) F(34) F(36) F(38) F(40) F(42) F(44) F(46) F(48) F(50) F(52) F(54) F(56) F(58)
        F(60) F(62)
        "fcmps %%fcc0, %%f0, %%f1\n\tfcmps %%fcc1, %%f0, %%f1\n\t"
        "fcmps %%fcc2, %%f0, %%f1\n\tfcmps %%fcc3, %%f0, %%f1"
        : : : "g1", "g2", "g3", "g4", "g5", "o0", "o1", "o2", "o3", "o4", "o5", "o7", "cc",
        "memory");
}
#elif defined(__sparc__)
static inline void spoil(void)
{
    __asm__ __volatile__(
        "set 0x5a5a5a5a, %%g1\n\tmov %%g1, %%g2\n\tmov %%g1, %%g3\n\tmov %%g1, %%g4\n\t"
        "mov %%g1, %%g5\n\tmov %%g1, %%g6\n\tmov %%g1, %%o0\n\tmov %%g1, %%o1\n\t"
        "mov %%g1, %%o2\n\tmov %%g1, %%o3\n\tmov %%g1, %%o4\n\tmov %%g1, %%o5\n\t"
        "wr %%g1, 0, %%y\n\taddcc %%g1, %%g1, %%g0\n\t"
        "st %%g1, [%%sp+68]\n\tld [%%sp+68], %%f0\n\t"
#define F(N) "fmovs %%f0, %%f" #N "\n\t"
        F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16)
        F(17) F(18) F(19) F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29) F(30) F(31)
        "fcmps %%f0, %%f1\n\tnop"
        : : : "g1", "g2", "g3", "g4", "o0", "o1", "o2", "o3", "o4", "o5", "o7", "cc", "memory");
}
#elif defined(__powerpc64__)
/* Also the second halves of VSX registers whose first halves a function has to keep. */
static inline void spoil(void)
{
    __asm__ __volatile__(
        ".machine push\n\t.machine power8\n\t"
        "lis 0, 0x5a5a\n\tmr 3, 0\n\tmr 4, 0\n\tmr 5, 0\n\tmr 6, 0\n\tmr 7, 0\n\tmr 8, 0\n\t"
        "mr 9, 0\n\tmr 10, 0\n\tmr 11, 0\n\tmr 12, 0\n\tmtctr 0\n\tmtxer 0\n\t"
        "mtcrf 0xc7, 0\n\tmtfsfi 7, 1\n\t"
#define V(N) "vspltisb " #N ", 5\n\t"
        V(0) V(1) V(2) V(3) V(4) V(5) V(6) V(7) V(8) V(9) V(10) V(11) V(12) V(13) V(14) V(15)
        V(16) V(17) V(18) V(19) "mtvscr 19\n\t"
#define F(N) "xxlor " #N ", 32, 32\n\t"
        F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13)
#define H(N) "xxmrghd " #N ", " #N ", 0\n\t"
        H(14) H(15) H(16) H(17) H(18) H(19) H(20) H(21) H(22) H(23) H(24) H(25) H(26) H(27)
        H(28) H(29) H(30) H(31)
        ".machine pop"
        : : : "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "ctr", "xer",
        "cr0", "cr1", "cr5", "cr6", "cr7", "memory");
}
#else
extern uint32_t inst_has_vectors;

static inline void spoil(void)
{
    if (inst_has_vectors)
        __asm__ __volatile__(
            ".machine push\n\t.machine \"7400\"\n\t"
#define V(N) "vspltisb " #N ", 5\n\t"
            V(0) V(1) V(2) V(3) V(4) V(5) V(6) V(7) V(8) V(9) V(10) V(11) V(12) V(13) V(14) V(15)
            V(16) V(17) V(18) V(19) "mtvscr 19\n\t.machine pop");
    __asm__ __volatile__(
        "lis 0, 0x5a5a\n\tmr 3, 0\n\tmr 4, 0\n\tmr 5, 0\n\tmr 6, 0\n\tmr 7, 0\n\tmr 8, 0\n\t"
        "mr 9, 0\n\tmr 10, 0\n\tmr 11, 0\n\tmr 12, 0\n\tmr 13, 0\n\tmtctr 0\n\tmtxer 0\n\t"
        "mtcrf 0xc7, 0\n\tmtfsfi 7, 1\n\t"
#define F(N) "fmr " #N ", 31\n\t"
        F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13)
        : : : "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "ctr", "xer",
        "cr0", "cr1", "cr5", "cr6", "cr7", "memory");
}
#endif

/* A reservation of the program's, if it has one, is undone as well. */
static inline void undo_reservation(void)
{
#ifdef __powerpc__
    static uint32_t own;
    __asm__ __volatile__("lwarx 0, 0, %0\n\tstwcx. 0, 0, %0" : : "r"(&own) : "r0", "cr0", "memory");
#endif
}

static void tell(uint32_t size, uint32_t stores, inst_address address, inst_address pc,
                 uint64_t value, uint64_t low)
{
    told.count++;
    told.size = size;
    told.stores = stores;
    told.address = address;
    told.pc = pc;
#ifndef HOSTILE_ADDRESSES_ONLY
    told.value = value;
    told.low = low;
#endif
    if (report_count < KEPT)
        reports[report_count++] = (struct report){ size, stores, address, told.value, told.low };
    undo_reservation();
    spoil();
}

#define SMALL(NAME, SIZE, STORES)                                           \
    void NAME(inst_address address, inst_address pc, uint32_t value)        \
    {                                                                       \
        tell(SIZE, STORES, address, pc, value, 0);                          \
    }
#define DOUBLE(NAME, STORES)                                                \
    void NAME(inst_address address, inst_address pc, uint64_t value)        \
    {                                                                       \
        tell(8, STORES, address, pc, value, 0);                             \
    }
#define QUAD(NAME, STORES)                                                  \
    void NAME(inst_address address, inst_address pc, uint64_t high, uint64_t low) \
    {                                                                       \
        tell(16, STORES, address, pc, high, low);                           \
    }
SMALL(ldbhook, 1, 0)
SMALL(ldhhook, 2, 0)
SMALL(ldwhook, 4, 0)
DOUBLE(lddhook, 0)
QUAD(ldqhook, 0)
SMALL(stbhook, 1, 1)
SMALL(sthhook, 2, 1)
SMALL(stwhook, 4, 1)
DOUBLE(stdhook, 1)
QUAD(stqhook, 1)
void llhook(inst_address address, inst_address pc, inst_address size)
{
    tell(size, 2, address, pc, 0, 0);
}
void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    tell(size, 3, address, pc, 0, 0);
}

/* Each count ends a window. */
void inithook(void)
{
    setsic(1);
}

void windowhook(void)
{
    setsic(1);
    spoil();
}

void savehook(inst_address stack, inst_address frame, inst_address pc)
{
    (void)stack, (void)frame, (void)pc;
    spoil();
}

void restorehook(inst_address *buf16)
{
    (void)buf16;
    spoil();
}

void enterhook(inst_address function, inst_address back, inst_address stack)
{
    (void)function, (void)back, (void)stack;
    spoil();
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    (void)function, (void)pc, (void)stack;
    spoil();
}
