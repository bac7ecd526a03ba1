/* Steps that an interrupt does not divide, on 32-bit PowerPC.

   Each is the code from the load of the cursor to its store, in a form that no other code has: where it is
   interrupted in between, it begins again (flight_restart).  So it may be done any number of times. */

enum { FLIGHT_MACHINE = 20 };

#define FLIGHT_LOAD "lis %0,inst.cursor@ha\n\tlwz %0,inst.cursor@l(%0)\n\t"
#define FLIGHT_STORE(VALUE) "lis %1,inst.cursor@ha\n\tstw " VALUE ",inst.cursor@l(%1)\n"

/* Return the cursor, by code of another form. */
static inline uint32_t flight_cursor(const struct inst_flight *head)
{
    uint32_t found;
    __asm__ __volatile__("lwz %0,0(%1)" : "=r"(found) : "b"(&head->cursor));
    return found;
}

static inline uint32_t flight_exchange(volatile uint32_t *at, uint32_t value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

/* Reserve a block with a name; return where that is.  The word before it is 0. */
static inline uint32_t *flight_take(uint32_t bytes, uint32_t name)
{
    uint32_t *to;
    uint32_t scratch;
    __asm__ __volatile__(FLIGHT_LOAD
                         "add %0,%0,%2\n\tstw %3,0(%0)\n\tstw %4,-4(%0)\n\t"
                         FLIGHT_STORE("%0")
                         : "=&b"(to), "=&b"(scratch)
                         : "r"(bytes), "r"(name), "r"(0)
                         : "memory");
    return to;
}

/* Move the cursor, if it is still `from`, and before that let the limit be 0 and set two words; return
   whether it was. */
static inline int flight_move(uint32_t from, uint32_t to, volatile uint32_t *one, uint32_t first,
                              volatile uint32_t *two, uint32_t second)
{
    uint32_t done, scratch;
    __asm__ __volatile__(FLIGHT_LOAD
                         "cmplw %0,%2\n\tbeq 1f\n\tli %0,0\n\tb 2f\n"
                         "1:\tlis %1,inst.limit@ha\n\tstw %8,inst.limit@l(%1)\n\t"
                         "stw %5,0(%4)\n\tstw %7,0(%6)\n\t"
                         FLIGHT_STORE("%3") "\tli %0,1\n2:"
                         : "=&b"(done), "=&b"(scratch)
                         : "r"(from), "r"(to), "b"(one), "r"(first), "b"(two), "r"(second), "r"(0)
                         : "cr0", "memory");
    return done;
}

/* What code is recognised by (Power ISA, book I, sections 1.6 and 2.4). */
enum { FLIGHT_LONGEST = 32 };

static inline int flight_loads(const uint32_t *at, uint32_t cursor)
{
    uint32_t into = at[0] >> 21 & 31, high = (cursor + 0x8000) >> 16;
    return at[0] == (15u << 26 | into << 21 | high)
           && at[1] == (INST_SITE_LOAD | into << 21 | into << 16 | (cursor & 0xffff));
}

static inline int flight_stores(const uint32_t *at, uint32_t cursor)
{
    return (*at & 0xfc00ffff) == (INST_SITE_STORE | (cursor & 0xffff))
           && (at[-1] & 0xfc1fffff) == (15u << 26 | (cursor + 0x8000) >> 16)
           && (at[-1] >> 21 & 31) == (*at >> 16 & 31);
}

/* Return whether an instruction is a conditional branch to beyond a place. */
static inline int flight_passes(const uint32_t *at, uint32_t place)
{
    return *at >> 26 == 16 && (uintptr_t)at + (int16_t)(*at & 0xfffc) > place;
}

static inline uint32_t flight_place(const uintptr_t *pc)
{
    return *pc;
}

static inline void flight_go_to(uintptr_t *pc, const uint32_t *at)
{
    *pc = (uintptr_t)at;
}
