/* Write accesses: an INSTR record for each, and a MEMVAL64 record with its value; an instruction of two
   words does not fit into an INSTR, so its access is an EVENT. */
#include "rst.h"

#include <prefix.h>

static inline __attribute__((always_inline)) void put_value(
    unsigned char *at, inst_address address, uint32_t high, uint32_t low, uint32_t size)
{
    put(at, 1, 0);
    put_address(at, 2, address);
    put_two(at, 4, high, low);
    inst_ordered();
    put(at, 0, inst_thread.second_mark | size);
}

/* Write an event; its first word is stored last, so that no partial record is read. */
static inline __attribute__((always_inline)) unsigned char *write_event(
    unsigned char *at, inst_address address, inst_address pc, uint32_t high, uint32_t low,
    uint32_t size, int valued)
{
    put(at, 1, *(const uint32_t *)pc);
    put_address(at, 2, pc);
    put_address(at, 4, address);
    if (valued)
        put_value(at + RST_SIZE, address, high, low, size);
    inst_ordered();
    put(at, 0, inst_thread.mark);
    return at + (valued ? 2 : 1) * RST_SIZE;
}

/* The slow path: the first event of a chunk, or one that interrupted another. */
__attribute__((used)) void rst_slow_body(inst_address address, inst_address pc, uint32_t high,
                                         uint32_t low, uint32_t size)
{
    if (!inst_wanted(address, size))
        return;
    unsigned char *at = inst_place_slow();
    inst_commit_slow(write_event(rst_position(at), address, pc, high, low, size, 1));
}

/* Events of a signal handler interrupted this one: it is complete, or has to be written again. */
__attribute__((used)) void rst_retry_body(unsigned char *at, inst_address address,
                                          inst_address pc, uint32_t high, uint32_t low,
                                          uint32_t size)
{
    at = inst_retry(at);
    inst_retry_done(at ? write_event(rst_position(at), address, pc, high, low, size, 1) : 0);
}

void rst_slow(inst_address address, inst_address pc, uint32_t high, uint32_t low, uint32_t size);
INST_PRESERVING(rst_slow);
void rst_retry(unsigned char *at, inst_address address, inst_address pc, uint32_t high,
               uint32_t low, uint32_t size);
INST_PRESERVING(rst_retry);

/* Functions of this file can be jumped to, so that a hook has no frame. */
static __attribute__((noinline, noclone, cold)) void slow(
    inst_address address, inst_address pc, uint32_t high, uint32_t low, uint32_t size)
{
    if (!inst_skips())
        rst_slow(address, pc, high, low, size);
}

static __attribute__((noinline, noclone, cold)) void retry(
    unsigned char *at, inst_address address, inst_address pc, uint32_t high, uint32_t low,
    uint32_t size)
{
    rst_retry(at, address, pc, high, low, size);
}

/* Whether the instruction there has two words. */
static inline __attribute__((always_inline)) int is_prefixed(inst_address pc)
{
    return inst_unlikely(inst_is_prefix(*(const uint32_t *)pc));
}

#if INST_HAS_PREFIXES
/* The access of an instruction of two words; `second` is what follows the first eight bytes of 16. */
__attribute__((used)) void rst_prefixed_body(inst_address address, inst_address pc, uint64_t first,
                                             uint64_t second, uint32_t size, int writes)
{
    struct rst_access access = { writes, address, size, first, second, pc };
    INST_WRITE_EVENT(inst_wanted(address, size), at, rst_put_own(rst_position(at), &access));
}

void rst_prefixed(inst_address address, inst_address pc, uint64_t first, uint64_t second,
                  uint32_t size, int writes);
INST_PRESERVING(rst_prefixed);
#else
#define rst_prefixed(ADDRESS, PC, FIRST, SECOND, SIZE, WRITES) \
    ((void)(ADDRESS), (void)(PC), (void)(FIRST), (void)(SECOND), (void)(SIZE), (void)(WRITES))
#endif

static __attribute__((noinline, noclone, cold)) void prefixed(
    inst_address address, inst_address pc, uint64_t first, uint64_t second, uint32_t size,
    int writes)
{
    rst_prefixed(address, pc, first, second, size, writes);
}

static inline __attribute__((always_inline)) void event(
    inst_address address, inst_address pc, uint32_t high, uint32_t low, uint32_t size, int writes)
{
    if (is_prefixed(pc)) {
        prefixed(address, pc, (uint64_t)high << 32 | low, 0, size, writes);
        return;
    }
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        slow(address, pc, high, low, size);
        return;
    }
    unsigned char *end = write_event(rst_position(at), address, pc, high, low, size, 1);
    if (inst_unlikely(inst_commit(end)))
        retry(at, address, pc, high, low, size);
}

#define SMALL(NAME, SIZE, WRITES)                                           \
    void NAME(inst_address address, inst_address pc, uint32_t value)        \
    {                                                                       \
        event(address, pc, 0, value, SIZE, WRITES);                         \
    }
SMALL(ldbhook, 1, 0)
SMALL(ldhhook, 2, 0)
SMALL(ldwhook, 4, 0)
SMALL(stbhook, 1, 1)
SMALL(sthhook, 2, 1)
SMALL(stwhook, 4, 1)

void lddhook(inst_address address, inst_address pc, uint64_t value)
{
    event(address, pc, value >> 32, value, 8, 0);
}

void stdhook(inst_address address, inst_address pc, uint64_t value)
{
    event(address, pc, value >> 32, value, 8, 1);
}

/* One INSTR with two halves of the access's value; the INSTR is stored last, so that no partial event
   is read. */
static __attribute__((noinline)) unsigned char *write_wide(
    unsigned char *at, inst_address address, inst_address pc, uint64_t first, uint64_t second)
{
    at = rst_position(at);
    put_value(at + 2 * RST_SIZE, address + 8, second >> 32, second, 8);
    inst_ordered();
    write_event(at, address, pc, first >> 32, first, 8, 1);
    return at + 3 * RST_SIZE;
}

static void wide(inst_address address, inst_address pc, uint64_t first, uint64_t second, int writes)
{
    if (is_prefixed(pc)) {
        prefixed(address, pc, first, second, 16, writes);
        return;
    }
    INST_WRITE_EVENT(inst_wanted(address, 16), at, write_wide(at, address, pc, first, second));
}

void ldqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    wide(address, pc, high, low, 0);
}

void stqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    wide(address, pc, high, low, 1);
}

/* An access whose value is not known: no MEMVAL64. */
static void unvalued(inst_address address, inst_address pc, inst_address size)
{
    INST_WRITE_EVENT(inst_wanted(address, size), at,
                     write_event(rst_position(at), address, pc, 0, 0, 0, 0));
}

void llhook(inst_address address, inst_address pc, inst_address size)
{
    unvalued(address, pc, size);
}

/* Eight zeros and their address for each part of the block: the word does not show its size. */
static __attribute__((noinline)) unsigned char *write_block(
    unsigned char *at, inst_address address, inst_address pc, inst_address size)
{
    at = rst_position(at);
    for (inst_address part = size / 8; part > 1; part--)
        put_value(at + part * RST_SIZE, address + 8 * (part - 1), 0, 0, 8);
    inst_ordered();
    write_event(at, address, pc, 0, 0, 8, 1);
    return at + (1 + size / 8) * RST_SIZE;
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    if (size > BLOCK || size % 8) {
        unvalued(address, pc, size);
        return;
    }
    INST_WRITE_EVENT(inst_wanted(address, size), at, write_block(at, address, pc, size));
}
