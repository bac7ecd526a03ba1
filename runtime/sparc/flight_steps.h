/* Steps that an interrupt does not divide, on 32-bit SPARC: as in powerpc/flight_steps.h. */

enum { FLIGHT_MACHINE = 2 };

#define FLIGHT_LOAD "sethi %%hi(inst.cursor),%1\n\tld [%1+%%lo(inst.cursor)],%0\n\t"
#define FLIGHT_STORE(VALUE) "sethi %%hi(inst.cursor),%1\n\tst " VALUE ",[%1+%%lo(inst.cursor)]\n"

static inline uint32_t flight_cursor(const struct inst_flight *head)
{
    uint32_t found;
    __asm__ __volatile__("ld [%1],%0" : "=r"(found) : "r"(&head->cursor));
    return found;
}

static inline uint32_t flight_exchange(volatile uint32_t *at, uint32_t value)
{
    __asm__ __volatile__("swap [%1],%0" : "+r"(value) : "r"(at) : "memory");
    return value;
}

static inline uint32_t *flight_take(uint32_t bytes, uint32_t name)
{
    uint32_t *to;
    uint32_t scratch;
    __asm__ __volatile__(FLIGHT_LOAD
                         "add %0,%2,%0\n\tst %3,[%0]\n\tst %%g0,[%0-4]\n\t"
                         FLIGHT_STORE("%0")
                         : "=&r"(to), "=&r"(scratch)
                         : "r"(bytes), "r"(name)
                         : "memory");
    return to;
}

static inline int flight_move(uint32_t from, uint32_t to, volatile uint32_t *one, uint32_t first,
                              volatile uint32_t *two, uint32_t second)
{
    uint32_t done, scratch;
    __asm__ __volatile__(FLIGHT_LOAD
                         "cmp %0,%2\n\tbe 1f\n\t nop\n\tba 2f\n\t clr %0\n"
                         "1:\tsethi %%hi(inst.limit),%1\n\tst %%g0,[%1+%%lo(inst.limit)]\n\t"
                         "st %5,[%4]\n\tst %7,[%6]\n\t"
                         FLIGHT_STORE("%3") "\tmov 1,%0\n2:"
                         : "=&r"(done), "=&r"(scratch)
                         : "r"(from), "r"(to), "r"(one), "r"(first), "r"(two), "r"(second)
                         : "cc", "memory");
    return done;
}

/* What code is recognised by (The SPARC Architecture Manual, Version 8, appendix F). */
enum { FLIGHT_LONGEST = 32 };

static inline int flight_loads(const uint32_t *at, uint32_t cursor)
{
    uint32_t into = at[0] >> 25 & 31;
    return at[0] == (into << 25 | 4 << 22 | cursor >> 10)
           && (at[1] & 0xc1ffffff) == (INST_SITE_LOAD | into << 14 | (cursor & 0x3ff));
}

static inline int flight_stores(const uint32_t *at, uint32_t cursor)
{
    uint32_t base = at[-1] >> 25 & 31;
    return at[-1] == (base << 25 | 4 << 22 | cursor >> 10)
           && (*at & 0xc1ffffff) == (INST_SITE_STORE | base << 14 | (cursor & 0x3ff));
}

/* Bicc without an annul bit. */
static inline int flight_passes(const uint32_t *at, uint32_t place)
{
    int32_t distance = (int32_t)(*at << 10) >> 8;
    return (*at & 0xe1c00000) == 2 << 22 && (*at >> 25 & 15) != 8
           && (uintptr_t)at + distance > place;
}

/* In the slot of a branch that is taken the place is where that one goes. */
static inline uint32_t flight_place(const uintptr_t *pc)
{
    return pc[1] == pc[0] + 4 ? pc[0] : pc[1];
}

static inline void flight_go_to(uintptr_t *pc, const uint32_t *at)
{
    pc[0] = (uintptr_t)at;
    pc[1] = pc[0] + 4;
}
