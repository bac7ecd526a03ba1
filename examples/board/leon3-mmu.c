/* LEON3: the reference MMU of SPARC V8 (appendix H of its manual), which reads a table of three levels. */
#include <inst/annotate.h>
#include "board.h"
#include "mmu.h"

/* The spaces of LEON3, and what is there: to flush by addresses, and registers. */
enum { FLUSH = 0x18, REGISTERS = 0x19 };
enum { CONTROL = 0x000, CONTEXT_TABLE = 0x100, CONTEXT = 0x200 };
enum { ENABLED = 1 };
/* Kinds of entries, and permissions: the system reads, writes and executes.  A frame counts as used and
   modified from the start, so that the processor itself never writes to the table. */
enum { TABLE = 1, FRAME = 2, SYSTEM_ALL = 7 << 2, USED = 1 << 5, MODIFIED = 1 << 6, CACHED = 1 << 7 };
enum { WHOLE = FRAME | SYSTEM_ALL | USED | MODIFIED };
enum { REGION = 1 << 24 };
enum { MEMORY = 0x40000000 };
static const unsigned devices = 0x80000000;

/* A table is aligned to its size. */
static unsigned contexts[1] __attribute__((aligned(1024)));
static unsigned regions[256] __attribute__((aligned(1024)));
static unsigned segments[64] __attribute__((aligned(256)));
static unsigned table[64] __attribute__((aligned(256)));

static void write_register(unsigned number, unsigned value)
{
    __asm__ volatile("sta %0, [%1] %2" : : "r"(value), "r"(number), "i"(REGISTERS) : "memory");
}

static unsigned to_table(unsigned *at)
{
    return (unsigned)at >> 4 | TABLE;
}

void mmu_start(void)
{
    regions[MEMORY / REGION] = MEMORY >> 4 | CACHED | WHOLE;
    regions[devices / REGION] = devices >> 4 | WHOLE;
    regions[WINDOW / REGION] = to_table(segments);
    segments[0] = to_table(table);
    contexts[0] = to_table(regions);
    write_register(CONTEXT_TABLE, (unsigned)contexts >> 4);
    write_register(CONTEXT, 0);
    write_register(CONTROL, ENABLED);
}

unsigned *mmu_frame(unsigned page)
{
    return (unsigned *)(table[page] >> 8 << 12);
}

void mmu_map(unsigned page, unsigned *frame)
{
    table[page] = (unsigned)frame >> 4 | CACHED | WHOLE;
}

void mmu_unmap(unsigned page)
{
#ifndef BUG_REPLACE
    table[page] = 0;
#endif
#ifndef BUG_NO_FLUSH
    __asm__ volatile("sta %%g0, [%0] %1" : : "r"(WINDOW + page * PAGE), "i"(FLUSH) : "memory");
#endif
}

/* Interrupts of all levels are off: nothing of it is in a trace, so that annotations say it. */
void mmu_lock(void)
{
    unsigned state;
    __asm__ volatile("rd %%psr, %0\n\tor %0, 0xf00, %0\n\twr %0, %%psr\n\tnop\n\tnop\n\tnop"
                     : "=&r"(state) : : "memory");
    INST_LOCK(table);
}

void mmu_unlock(void)
{
    unsigned state;
    INST_UNLOCK(table);
    __asm__ volatile("rd %%psr, %0\n\tandn %0, 0xf00, %0\n\twr %0, %%psr\n\tnop\n\tnop\n\tnop"
                     : "=&r"(state) : : "memory");
}
