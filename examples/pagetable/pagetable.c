/* A small manager of stage-2 page tables: break before make, one lock for each space.

   The machine it runs on here has no such tables, so barriers, TLB invalidations and registers
   are recorded in the trace instead of being executed; loads and stores of entries are real.  */
#include "pagetable.h"

#include <stdlib.h>

#include <inst/annotate.h>

enum { VALID = 1, TABLE = 3, LEAF = 3, BLOCK = 1 };
#define ADDRESS 0x0000fffffffff000ull

volatile uint64_t pool[POOL_PAGES][ENTRIES] __attribute__((aligned(PAGE)));
static unsigned char used[POOL_PAGES];
enum bug bug;

static void dsb(void)
{
    __sync_synchronize();
    if (bug == LOCAL_BARRIER)
        INST_BARRIER("dsb nsh");
    else
        INST_BARRIER("dsb ish");
}

/* An entry of 8 bytes is one std on SPARC and two stw on 32-bit PowerPC. */
static void set(volatile uint64_t *entry, uint64_t value)
{
    *entry = value;
}

static volatile uint64_t *page_alloc(void)
{
    for (unsigned n = 0; n < POOL_PAGES; n++) {
        if (used[n])
            continue;
        used[n] = 1;
        if (bug != NOT_INITIALISED)
            INST_MEM_INIT(pool[n], PAGE);
        for (unsigned slot = 0; slot < ENTRIES && bug != NOT_INITIALISED; slot++)
            if (pool[n][slot])
                pool[n][slot] = 0;
        return pool[n];
    }
    abort();
}

/* The bug USED_TWICE: the third page asked for is the second. */
static volatile uint64_t *page_again(void)
{
    static volatile uint64_t *second;
    static int count;
    if (++count == 3)
        return second;
    volatile uint64_t *page = page_alloc();
    second = count == 2 ? page : second;
    return page;
}

static void page_free(volatile uint64_t *page)
{
    INST_MEM_FREE(page, PAGE);
    used[(page - pool[0]) / ENTRIES] = 0;
}

static unsigned slot_of(uint64_t from, int level)
{
    return from >> (12 + 9 * (LAST_LEVEL - level)) & (ENTRIES - 1);
}

static volatile uint64_t *table_of(uint64_t entry)
{
    return (volatile uint64_t *)(uintptr_t)(entry & ADDRESS);
}

/* Invalidate the translation of one page, whose entry is invalid by now. */
static void flush_page(uint64_t from)
{
    if (bug != MISSING_DSB_BEFORE && bug != TLBI_FIRST)
        dsb();
    if (bug == WRONG_SHIFT)
        INST_TLBI_BY("ipas2e1is", from >> 16);
    else if (bug != MISSING_TLBI)
        INST_TLBI_BY("ipas2e1is", from >> 12);
    if (bug == TLBI_FIRST)
        dsb();
    if (bug != MISSING_DSB_AFTER)
        dsb();
    INST_TLBI("vmalle1is");
    if (bug != MISSING_DSB_AFTER)
        dsb();
    INST_BARRIER("isb");
}

/* The same for all that was reached through a table. */
static void flush_all(void)
{
    dsb();
    if (bug == LOCAL_TLBI)
        INST_TLBI("vmalls12e1");
    else
        INST_TLBI("vmalls12e1is");
    dsb();
    INST_BARRIER("isb");
}

/* Return the entry for an address at a level, making the tables above it. */
static volatile uint64_t *entry_for(struct space *space, uint64_t from, int level)
{
    volatile uint64_t *table = space->root;
    for (int at = ROOT_LEVEL; at < level; at++) {
        volatile uint64_t *entry = &table[slot_of(from, at)];
        if (!(*entry & VALID)) {
            volatile uint64_t *below = bug == USED_TWICE ? page_again() : page_alloc();
            set(entry, (uintptr_t)below | TABLE);
            if (bug != TWO_PLAIN_WRITES)
                dsb();
        }
        table = table_of(*entry);
    }
    return &table[slot_of(from, level)];
}

static void map(struct space *space, uint64_t from, uint64_t entry, int level)
{
    set(entry_for(space, from, level), entry);
    dsb();
}

void map_page(struct space *space, uint64_t from, uint64_t to, uint64_t access)
{
    uint64_t kind = bug == WRONG_ENCODING ? BLOCK : LEAF;
    map(space, from, to | access | ACCESSED | kind, LAST_LEVEL);
}

void map_block(struct space *space, uint64_t from, uint64_t to, uint64_t access)
{
    map(space, from, to | access | ACCESSED | BLOCK, LAST_LEVEL - 1);
}

/* Find the lowest entry for an address and its level. */
static volatile uint64_t *find(const struct space *space, uint64_t from, int *level)
{
    volatile uint64_t *table = space->root;
    for (*level = ROOT_LEVEL; *level < LAST_LEVEL; ++*level) {
        volatile uint64_t *entry = &table[slot_of(from, *level)];
        if ((*entry & TABLE) != TABLE)
            return entry;
        table = table_of(*entry);
    }
    return &table[slot_of(from, LAST_LEVEL)];
}

void unmap(struct space *space, uint64_t from)
{
    int level;
    set(find(space, from, &level), 0);
    flush_page(from);
}

void remap(struct space *space, uint64_t from, uint64_t to, uint64_t access)
{
    if (bug != REPLACED_IN_PLACE)
        unmap(space, from);
    map_page(space, from, to, access);
}

/* Permissions may change in a live entry; the TLB has to be invalidated all the same. */
void protect(struct space *space, uint64_t from, uint64_t access)
{
    int level;
    volatile uint64_t *entry = find(space, from, &level);
    set(entry, (*entry & ~(uint64_t)(READ | WRITE)) | access);
    flush_page(from);
}

/* Replace a block by a table of pages that map the same. */
void split_block(struct space *space, uint64_t from)
{
    int level;
    volatile uint64_t *entry = find(space, from, &level), *below = page_alloc();
    uint64_t block = *entry;
    for (unsigned slot = 0; slot < ENTRIES; slot++)
        below[slot] = (block | LEAF) + (uint64_t)slot * PAGE;
    set(entry, 0);
    flush_page(from);
    set(entry, (uintptr_t)below | TABLE);
    dsb();
}

/* Free the last table on the way to an address; its entries are invalid by now. */
void prune(struct space *space, uint64_t from)
{
    volatile uint64_t *parent = entry_for(space, from, LAST_LEVEL - 1);
    volatile uint64_t *below = table_of(*parent);
    set(parent, 0);
    if (bug == FREED_TOO_EARLY)
        page_free(below);
    if (bug == CHANGED_BELOW) {
        dsb();
        set(&below[slot_of(from, LAST_LEVEL)], from | ACCESSED | LEAF);
    }
    flush_all();
    page_free(below);
}

uint64_t translate(const struct space *space, uint64_t from)
{
    int level;
    uint64_t entry = *find(space, from, &level), size = (uint64_t)PAGE << 9 * (LAST_LEVEL - level);
    return entry & VALID ? (entry & ADDRESS & ~(size - 1)) | (from & (size - 1)) : ~0ull;
}

void space_create(struct space *space, unsigned id)
{
    space->root = page_alloc();
    space->id = id;
    space->lock = 0;
    if (bug != LOCK_UNKNOWN)
        INST_HINT("set_root_lock", space->root, (uintptr_t)&space->lock);
}

void space_install(const struct space *space)
{
    INST_SYSREG("vttbr_el2", (uint64_t)space->id << 48 | (uintptr_t)space->root);
    INST_BARRIER("isb");
}

static void free_tables(volatile uint64_t *table, int level)
{
    for (unsigned slot = 0; slot < ENTRIES && level < LAST_LEVEL; slot++)
        if ((table[slot] & TABLE) == TABLE)
            free_tables(table_of(table[slot]), level + 1);
    page_free(table);
}

/* Free all tables of a space that no register points to. */
void space_release(struct space *space)
{
    INST_HINT("release_table", space->root, 0);
    free_tables(space->root, ROOT_LEVEL);
}

void space_lock(struct space *space)
{
    while (__sync_lock_test_and_set(&space->lock, 1))
        ;
    INST_LOCK(&space->lock);
}

void space_unlock(struct space *space)
{
    INST_UNLOCK(&space->lock);
    if (bug == UNLOCKED_TWICE)
        INST_UNLOCK(&space->lock);
    __sync_lock_release(&space->lock);
}
