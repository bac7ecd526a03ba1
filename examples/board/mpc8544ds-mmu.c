/* e500: the table is software's own; the handler of TLB misses reads it. */
#include "board.h"
#include "mmu.h"

enum { READ_WRITE = 5, VALID_4K = 0x80000100 };

/* An entry is the address of a frame and the permissions of MAS3, or 0. */
static unsigned table[PAGES];

/* Called at a TLB miss of data, with interrupts off: write the entry of TLB0. */
void board_miss(unsigned address)
{
    unsigned page = (address - WINDOW) / PAGE, entry = page < PAGES ? table[page] : 0;
    if (!entry)
        board_trap(13, 0, address);
    __asm__ volatile("mtspr 624, %0\n\tmtspr 625, %1\n\tmtspr 626, %2\n\tmtspr 627, %3\n\t"
                     "mtspr 944, %4\n\tisync\n\ttlbwe\n\tisync"
                     : : "r"((page & 1) << 16), "r"(VALID_4K), "r"(address & -PAGE), "r"(entry),
                       "r"(0));
}

/* The processor always translates. */
void mmu_start(void)
{
}

unsigned *mmu_frame(unsigned page)
{
    return (unsigned *)(table[page] & -PAGE);
}

void mmu_map(unsigned page, unsigned *frame)
{
    table[page] = (unsigned)frame | READ_WRITE;
}

void mmu_unmap(unsigned page)
{
#ifndef BUG_REPLACE
    table[page] = 0;
    __asm__ volatile("msync" : : : "memory");
#endif
#ifndef BUG_NO_FLUSH
    __asm__ volatile("tlbivax 0, %0" : : "r"(WINDOW + page * PAGE) : "memory");
#endif
#ifndef BUG_NO_TLBSYNC
    __asm__ volatile("tlbsync\n\tmsync" : : : "memory");
#endif
}

void mmu_lock(void)
{
    __asm__ volatile("wrteei 0" : : : "memory");
}

void mmu_unlock(void)
{
    __asm__ volatile("wrteei 1" : : : "memory");
}
