/* Shared by the files of the library: assembling a record.

   An access is an INSTR record and MEMVAL64 records with its value; annotations, and what RST has no
   record for, are an EVENT with others around it. */
#ifndef INST_HOOKS_RST_H
#define INST_HOOKS_RST_H

#include <inst/rst.h>
#include <inst/runtime.h>

#pragma GCC visibility push(hidden)

enum { BLOCK = 128 };           /* bytes: the most that dcbz clears */
/* The longest event: an INSTR with the MEMVAL64s of a block; annotations are shorter. */
enum { EVENT_RECORDS = 1 + BLOCK / 8 };

/* Records are written as words in the order of RST, big-endian, whatever the processor's. */
static inline uint32_t big(uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return word;
#else
    return __builtin_bswap32(word);
#endif
}

typedef uint32_t __attribute__((may_alias)) record_word;
typedef uint64_t __attribute__((may_alias)) record_pair;

static inline void put(unsigned char *record, unsigned word, uint32_t value)
{
    ((record_word *)record)[word] = big(value);
}

static inline uint32_t get(const unsigned char *record, unsigned word)
{
    return big(((const record_word *)record)[word]);
}

/* Two words, the high one first: one store where registers have 64 bits. */
static inline void put_two(unsigned char *record, unsigned word, uint32_t high, inst_address low)
{
    if (sizeof(inst_address) == 8) {
        uint64_t value = (uint64_t)high << 32 | low;
        record_pair *at = (record_pair *)(record + 4 * word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        *at = value;
#else
        /* Two stores that swap cost less than a value swapped once. */
        __asm__ __volatile__(INST_STORE_SWAPPED : "=Z"(*at) : "r"(value));
#endif
    } else {
        put(record, word, high);
        put(record, word + 1, low);
    }
}

/* The first of an address's two words is 0 on a 32-bit machine. */
static inline void put_address(unsigned char *record, unsigned word, inst_address address)
{
    put_two(record, word, 0, address);
}

/* Records of our own begin with an EVENT: its first word. */
static inline uint32_t event_word(uint32_t kind, uint32_t flags)
{
    return (uint32_t)RST_EVENT << 24 | kind << 16 | flags;
}

static inline uint32_t own_cpu(void)
{
    return (inst_thread.mark >> 10 & 63) | (inst_thread.mark >> 6 & 15) << 6;
}

/* Write a place in the order of all threads: see annotations.c. */
unsigned char *rst_put_order(unsigned char *at, uint64_t order, inst_address address, unsigned size,
                             const char *how);

/* Whether the word has a number. */
int rst_knows(const char *word);

/* An access that no INSTR stands for: its value is `first`, and of 16 bytes `second` follows in memory. */
struct rst_access {
    int writes;
    inst_address address;
    uint32_t size;
    uint64_t first, second;
    inst_address pc;
};

/* Write such an access as an EVENT with its EVENT_PC and EVENT_SIZE. */
unsigned char *rst_put_own(unsigned char *at, const struct rst_access *access);

/* Write an access of a library function that the program called at `pc`. */
unsigned char *rst_put_access(unsigned char *at, int writes, inst_address address, unsigned size,
                              uint64_t value, inst_address pc);

/* Write that the thread's accesses are missing from here on, or are there again. */
unsigned char *rst_put_gap(unsigned char *at, const char *word, const char *source, int64_t count);

#pragma GCC visibility pop

/* The library `record` is made from this code too, and defines these otherwise. */
#define RST_EXTENSION "rst"
#define RST_POSITIONS 0                 /* records that precede each event */
#define rst_position(AT) (AT)
#define rst_begin_file(AT) (AT)
#define rst_more_strings(PUT, AT) (AT)
#define rst_signal_place(HOOK) ((HOOK) ? 0 : inst_signal_place())

#endif
