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

/* Of an access, in as few registers as can be: entries save those that a hook may change. */
__attribute__((used)) void count_slow_body(inst_address address, uint32_t kind_and_size)
{
    count_slowly(kind_and_size & 255, address, kind_and_size >> 8);
}
void count_slow(inst_address address, uint32_t kind_and_size);
INST_PRESERVING(count_slow);

__attribute__((used)) void count_slow_range_body(inst_address address, int kind, uint32_t size)
{
    count_slowly(kind, address, size);
}
void count_slow_range(inst_address address, int kind, uint32_t size);
INST_PRESERVING(count_slow_range);

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

static inline __attribute__((always_inline)) void count(int kind, inst_address address,
                                                        uint32_t size)
{
    struct inst_thread_state *thread = &inst_thread;
    struct inst_block *block = thread->block;
    /* Resolvers of indirect functions run before a dynamic linker fills thread-local storage. */
    if (inst_unlikely(thread->busy || !block)) {
        if (__builtin_constant_p(size))
            count_slow(address, kind | size << 8);
        else
            count_slow_range(address, kind, size);
        return;
    }
    inst_store_stack(&thread->busy);
    inst_ordered();
    add_one(&block->counts[0][kind]);
    inst_ordered();
    thread->busy = 0;
}

void ldbhook(inst_address address) { count(LDB, address, 1); }
void ldhhook(inst_address address) { count(LDH, address, 2); }
void ldwhook(inst_address address) { count(LDW, address, 4); }
void lddhook(inst_address address) { count(LDD, address, 8); }
void ldqhook(inst_address address) { count(LDQ, address, 16); }
void stbhook(inst_address address) { count(STB, address, 1); }
void sthhook(inst_address address) { count(STH, address, 2); }
void stwhook(inst_address address) { count(STW, address, 4); }
void stdhook(inst_address address) { count(STD, address, 8); }
void stqhook(inst_address address) { count(STQ, address, 16); }

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
