/* Run every case, and compare the registers before and after, and what the hook was told. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *name;
    void (*run)(void);
    uint32_t *access;
    /* value: word of `after`; flags: see below; lost: first of two words that may change */
    uint32_t size, stores, value, flags, lost, unused;
};
#if defined(__sparc__) && defined(__arch64__)
/* Integer registers have two words, the last one first to be read; floating point is behind. */
enum { WORDS = 256, WIDE = 64, FLOAT_WORDS = 2 };
#elif defined(__powerpc64__)
/* The same, with the whole VSX registers behind. */
enum { WORDS = 384, WIDE = 64, FLOAT_WORDS = 4 };
#else
enum { WORDS = 128, WIDE = 0, FLOAT_WORDS = 2 };
#endif
#ifdef __LITTLE_ENDIAN__
enum { HIGH = 1, LOW = 0 };
#else
enum { HIGH = 0, LOW = 1 };
#endif
enum { SPECIAL = 1, KEPT = 2, VALUED = 4, LOADS = 8, SINGLE = 16, BEFORE = 64 };
extern struct row rows[];
extern uint32_t before[], after[], data[], promised[], promised_special[];
extern const uint32_t row_count, link_word;

#ifdef RECORDS
extern volatile struct {
    uint32_t count, size, stores;
    uintptr_t address, pc;
    uint64_t value, low;
} told;
#endif

static uint32_t seed = 12345;

static uint32_t number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static int failures;

static void fail(const struct row *row, const char *what, uint32_t word, uint64_t want, uint64_t got)
{
    if (failures++ < 20)
        printf("%s: %s %u: wanted %llx, got %llx\n", row->name, what, word,
               (unsigned long long)want, (unsigned long long)got);
}

static uint32_t single(uint32_t bits)
{
    return (bits & 0x807fffff) | 0x3f800000;
}

static void check_registers(const struct row *row)
{
    for (uint32_t word = 0; word < WORDS; word++) {
        int wanted = promised[word] || (promised_special[word] && row->flags & SPECIAL);
        if (word == link_word && row->flags & KEPT)
            wanted = 1;
        if (word == row->lost || word == row->lost + 1)
            wanted = 0;
        if (wanted && before[word] != after[word])
            fail(row, "register word", word, before[word], after[word]);
    }
}

#ifdef RECORDS
static void check_told(const struct row *row)
{
    const uint32_t *held = (row->flags & BEFORE ? before : after) + row->value;
    uint64_t value = held[0], low = 0;
    if (row->size >= 8 || row->value < WIDE)
        value = (uint64_t)held[HIGH] << 32 | held[LOW];
    if (row->size == 16)
        low = (uint64_t)after[row->value + 2] << 32 | after[row->value + 3];
    if (row->size < 4)
        value &= (1u << 8 * row->size) - 1;
    if (row->size == 4)
        value = (uint32_t)value;
    if (row->flags & SINGLE)
        value = data[0];
    if (told.count != 1)
        fail(row, "events", 0, 1, told.count);
    if (told.size != row->size || told.stores != row->stores)
        fail(row, "kind of event", 0, row->size, told.size);
    if (told.address != (uintptr_t)data)
        fail(row, "address", 0, (uintptr_t)data, told.address);
    if (told.pc != (uintptr_t)row->access)
        fail(row, "pc", 0, (uintptr_t)row->access, told.pc);
    if (row->flags & VALUED && told.value != value)
        fail(row, "value", 0, value, told.value);
    if (row->flags & VALUED && told.low != low)
        fail(row, "low value", 0, low, told.low);
    told.count = 0;
}
#endif

void prepare(int round);

static void run(const struct row *row, int round)
{
    for (int n = 0; n < WORDS; n++)
        before[n] = number(), after[n] = 0;
    data[0] = single(number());
    for (int n = 1; n < 8; n++)
        data[n] = number();
    prepare(round);
    if (row->flags & SINGLE) {
        /* A double that is exactly this single. */
        union { float number; uint32_t bits; } small = { .bits = data[0] };
        union { double number; uint32_t bits[2]; } wide = { .number = small.number };
        before[row->value] = wide.bits[0];
        before[row->value + 1] = wide.bits[1];
    }
    row->run();
    uint32_t loaded = row->value < WIDE ? 2 : WIDE && FLOAT_WORDS > 2 ? FLOAT_WORDS
                      : row->flags & SINGLE ? 2 : row->size < 4 ? 1 : row->size / 4;
    if (row->flags & LOADS)     /* what the load changed is not the glue's doing */
        for (uint32_t n = 0; n < loaded; n++)
            before[row->value + n] = after[row->value + n];
    check_registers(row);
#ifdef RECORDS
    check_told(row);
#endif
}

int main(void)
{
    for (uint32_t n = 0; n < row_count; n++)
        for (int round = 0; round < (rows[n].flags & SPECIAL ? 13 : 2); round++)
            run(&rows[n], round);
    printf("%u rows, %d failures\n", (unsigned)row_count, failures);
    return failures != 0;
}
