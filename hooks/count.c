/* Count the events of each kind, and write a table of them when the program ends. */
#include <inst/runtime.h>

#include <architecture.h>

enum { LDB, LDH, LDW, LDD, LDQ, STB, STH, STW, STD, STQ, LL, STBLOCK, SYSTEM, LDSYS, STSYS,
       WINDOW, SAVE, RESTORE, SIGNAL, KINDS };

enum { WINDOW_LIMIT = 10000 }; /* backward branches and calls to a windowhook */

static const char names[KINDS][8] = {
    "ldb", "ldh", "ldw", "ldd", "ldq", "stb", "sth", "stw", "std", "stq", "ll", "stblock",
    "system", "ldsys", "stsys", "window", "save", "restore", "signal",
};

/* The thread's first event, or one that interrupted another; or any, while INST_WATCH selects
   some: then the thread stays in the state before its first. */
static void count_slowly(int kind, inst_address address, uint32_t size)
{
    if (!inst_wanted(address, size))
        return;
    inst_counts_slow()[kind]++;
    if (inst_watching())
        inst_thread.busy = INST_NOT_STARTED;
    inst_counts_done();
}

__attribute__((used)) void count_slow_body(inst_address address, int kind, uint32_t size)
{
    count_slowly(kind, address, size);
}
void count_slow(inst_address address, int kind, uint32_t size);
INST_PRESERVING(count_slow);

static inline __attribute__((always_inline)) void add_one(uint64_t *count)
{
#if INST_SAVES_CARRY
    uint32_t __attribute__((may_alias)) *halves = (void *)count;
    uint32_t low = halves[1];
    halves[1] = low + 1;
    if (inst_unlikely(low == UINT32_MAX))
        halves[0]++;
#else
    ++*count;
#endif
}

/* Count an event on the fast path; return 0 where that may not be taken. */
static inline __attribute__((always_inline)) int count_quickly(int kind)
{
    struct inst_thread_state *thread = &inst_thread;
    if (inst_unlikely(thread->busy != INST_IDLE))
        return 0;
    inst_store_stack(&thread->busy);
    inst_ordered();
    add_one(&thread->block->counts[0][kind]);
    inst_ordered();
    thread->busy = INST_IDLE;
    return 1;
}

static inline __attribute__((always_inline)) void count(int kind, inst_address address,
                                                        uint32_t size)
{
    if (!count_quickly(kind))
        count_slow(address, kind, size);
}

/* The hook of an access. Its slow path is its own and is passed what the hook is: entries save the
   registers that a hook may change. */
#define ACCESS(NAME, KIND, SIZE)                                                    \
    __attribute__((used)) void NAME##_slow_body(inst_address address)               \
    {                                                                               \
        count_slowly(KIND, address, SIZE);                                          \
    }                                                                               \
    void NAME##_slow(inst_address address);                                         \
    INST_PRESERVING(NAME##_slow);                                                   \
    void NAME(inst_address address)                                                 \
    {                                                                               \
        if (!count_quickly(KIND))                                                   \
            NAME##_slow(address);                                                   \
    }
ACCESS(ldbhook, LDB, 1)
ACCESS(ldhhook, LDH, 2)
ACCESS(ldwhook, LDW, 4)
ACCESS(lddhook, LDD, 8)
ACCESS(ldqhook, LDQ, 16)
ACCESS(stbhook, STB, 1)
ACCESS(sthhook, STH, 2)
ACCESS(stwhook, STW, 4)
ACCESS(stdhook, STD, 8)
ACCESS(stqhook, STQ, 16)

void llhook(inst_address address, inst_address pc, inst_address size)
{
    (void)pc;
    count(LL, address, size);
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    (void)pc;
    count(STBLOCK, address, size);
}

void systemhook(void) { count(SYSTEM, 0, 0); }
void ldsyshook(inst_address address, inst_address size) { count(LDSYS, address, size); }
void stsyshook(inst_address address, inst_address size) { count(STSYS, address, size); }

void inithook(void) { setsic(WINDOW_LIMIT); }

void windowhook(void)
{
    count(WINDOW, 0, 0);
    setsic(WINDOW_LIMIT);
}

void savehook(void) { count(SAVE, 0, 0); }
void restorehook(void) { count(RESTORE, 0, 0); }
void signalhook(void) { count(SIGNAL, 0, 0); }

static char *put_line(char *at, char *end, const char *name, uint64_t number)
{
    char digits[24], *first = digits + sizeof digits;
    do {
        uint32_t high = number >> 32, low = number;
        /* Long division by ten in halves of 16 bits: no call of libgcc. */
        uint32_t rest = high % 10, middle = rest << 16 | low >> 16, last;
        high /= 10;
        last = (middle % 10) << 16 | (low & 0xffff);
        number = (uint64_t)high << 32 | (middle / 10) << 16 | last / 10;
        *--first = '0' + last % 10;
    } while (number);
    at = inst_text(at, end, name);
    for (long n = 8 - (long)__builtin_strlen(name); n > 0; n--)
        *at++ = ' ';
    for (long n = 20 - (digits + sizeof digits - first); n > 0; n--)
        *at++ = ' ';
    while (first < digits + sizeof digits)
        *at++ = *first++;
    *at++ = '\n';
    return at;
}

void exithook(void)
{
    char text[32 * (KINDS + 2)], *at = text, *end = text + sizeof text;
    uint64_t sum = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        uint64_t number = 0;
        for (struct inst_block *block = inst_blocks(); block; block = block->next)
            number += block->counts[0][kind] + block->counts[1][kind];
        at = put_line(at, end, names[kind], number);
        sum += kind < SYSTEM ? number : 0;
    }
    at = put_line(at, end, "all", sum);
    inst_write_text(text, at - text);
}
