/* The table of what a thread's memory holds, as re-execution knows it. */
#ifndef INST_HOOKS_WINDOWS_TABLE_H
#define INST_HOOKS_WINDOWS_TABLE_H

#include "windows.h"

#include <process.h>

#define ALWAYS static inline __attribute__((always_inline))

__thread struct inst_learned inst_learned;

/* Return the page of an address, if the table has it. */
ALWAYS struct inst_known *page_of(struct inst_table *table, inst_address address)
{
    uintptr_t number = address >> PAGE_BITS;
    unsigned place = number % PAGES;
    return inst_likely(table->numbers[place] == ~number) ? &table->pages[place] : 0;
}

/* Return the bits of an access in the byte of `known` that has all of them. */
ALWAYS unsigned bits_of(unsigned offset, unsigned size)
{
    return ((1u << size) - 1) << (offset & 7);
}

/* Return the number at an offset of a page; it is a multiple of the number's size. */
ALWAYS uint64_t number_at(const struct inst_known *page, unsigned offset, unsigned size)
{
    const void *at = page->bytes + offset;
    return size == 1 ? *(const uint8_t *)at : size == 2 ? *(const uint16_t *)at
           : size == 4 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

ALWAYS void put_number(struct inst_known *page, unsigned offset, uint64_t value, unsigned size)
{
    void *at = page->bytes + offset;
    if (size == 1)
        *(uint8_t *)at = value;
    else if (size == 2)
        *(uint16_t *)at = value;
    else if (size == 4)
        *(uint32_t *)at = value;
    else
        *(uint64_t *)at = value;
}

ALWAYS uint64_t low_bytes(uint64_t value, unsigned size)
{
    return size == 8 ? value : value & (((uint64_t)1 << 8 * size % 64) - 1);
}

/* Return whether all bytes at an address are known to be those of a number. */
ALWAYS int knows(struct inst_table *table, inst_address address, uint64_t value, unsigned size)
{
    unsigned offset = address % PAGE, bits = bits_of(offset, size);
    const struct inst_known *page = page_of(table, address);
    if (inst_unlikely(!page || address % size))
        return 0;
    return (page->known[offset >> 3] & bits) == bits
           && number_at(page, offset, size) == low_bytes(value, size);
}

/* Take the bytes of a number for known; return 0 if the table is not ready for that. */
ALWAYS int keeps(struct inst_table *table, inst_address address, uint64_t value, unsigned size)
{
    unsigned offset = address % PAGE;
    struct inst_known *page = page_of(table, address);
    if (inst_unlikely(!page || address % size))
        return 0;
    put_number(page, offset, value, size);
    page->known[offset >> 3] |= bits_of(offset, size);
    return 1;
}

/* Forget bytes. */
static void forget_bytes(struct inst_table *table, inst_address address, unsigned size)
{
    for (unsigned n = 0; table && n < size; n++) {
        struct inst_known *page = page_of(table, address + n);
        unsigned offset = (address + n) % PAGE;
        if (page)
            page->known[offset >> 3] &= ~(1u << (offset & 7));
    }
}

static void forget_all(struct inst_table *table)
{
    for (unsigned n = 0; table && n < PAGES; n++)
        table->numbers[n] = 0;
}

/* Give a page its place, where another one may have been. */
static void make_room(struct inst_table *table, inst_address address)
{
    uintptr_t number = address >> PAGE_BITS;
    unsigned place = number % PAGES;
    for (unsigned n = 0; n < sizeof table->pages[place].known; n++)
        table->pages[place].known[n] = 0;
    table->numbers[place] = ~number;
}

/* Take bytes for known, if they are a number's that lies at a multiple of its size. */
static void learn(struct inst_table *table, inst_address address, uint64_t value, unsigned size)
{
    if (!table)
        return;
    if (address % size)
        return forget_bytes(table, address, size);
    if (!page_of(table, address))
        make_room(table, address);
    keeps(table, address, value, size);
}

/* Return whether the hook of an access runs in a handler that has interrupted another hook, which may be changing
   the table.  That one forgets all when it ends; if it never does, its frame lies below ours. */
static int interrupts(struct inst_learned *window, inst_address address, unsigned size)
{
    uintptr_t busy = window->busy & ~(uintptr_t)INTERRUPTED;
    if (!window->busy)
        return 0;
    window->busy |= INTERRUPTED;
    forget_bytes(window->table, address, size);
    if ((uintptr_t)__builtin_frame_address(0) > busy) {
        forget_all(window->table);
        window->busy = 0;
    }
    return 1;
}

/* A hook begins to change the table; it is made where there is none, and forgotten where it was another
   process's that had this one's memory. */
static void begin(struct inst_learned *window)
{
    window->busy = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)INTERRUPTED;
    inst_ordered();
    if (!window->table)
        window->table = inst_map(sizeof *window->table);
    if (window->block != inst_thread.block)
        forget_all(window->table);
    window->block = inst_thread.block;
}

static void end(struct inst_learned *window)
{
    inst_ordered();
    if (window->busy & INTERRUPTED || !window->busy)
        forget_all(window->table);
    inst_ordered();
    window->busy = 0;
}

#endif
