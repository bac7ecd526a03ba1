/* Pages that the kernel moves while a task uses them: page table, TLB misses and invalidations of e500.
   Compile with one of these to see what `inst check` says of it:
     -DBUG_REPLACE     the new entry is written over the old one
     -DBUG_NO_TLBIVAX  a page is unmapped without an invalidation of the TLB
     -DBUG_NO_TLBSYNC  nothing waits for that invalidation
     -DBUG_NO_LOCK     the table is changed while interrupts may come */
#include "board.h"

enum { PAGES = 4, PAGE = 4096, USED = 8, MOVES = 12, TICK = 2000 };
enum { WINDOW = 0x30000000 };
enum { READ_WRITE = 5, VALID_4K = 0x80000100 };

/* The page table: an entry is the address of a frame and the permissions of MAS3, or 0. */
static unsigned table[PAGES];
static unsigned frames[2 * PAGES][PAGE / sizeof(unsigned)] __attribute__((aligned(PAGE)));

static struct board_frame *waiting;
static char stacks[2][4096] __attribute__((aligned(16)));
static volatile unsigned moves;
static volatile unsigned added;

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

struct board_frame *board_tick(struct board_frame *frame)
{
    struct board_frame *next = waiting;
    waiting = frame;
    board_interrupt_after(TICK);
    return next;
}

static void lock(void)
{
#ifdef BUG_NO_LOCK
    if (moves == MOVES / 2)
        return;
#endif
    __asm__ volatile("wrteei 0" : : : "memory");
}

static void unlock(void)
{
    __asm__ volatile("wrteei 1" : : : "memory");
}

static void map(unsigned page, unsigned *frame)
{
    table[page] = (unsigned)frame | READ_WRITE;
}

static void unmap(unsigned page)
{
#ifndef BUG_REPLACE
    table[page] = 0;
    __asm__ volatile("msync" : : : "memory");
#endif
#ifndef BUG_NO_TLBIVAX
    __asm__ volatile("tlbivax 0, %0" : : "r"(WINDOW + page * PAGE) : "memory");
#endif
#ifndef BUG_NO_TLBSYNC
    __asm__ volatile("tlbsync\n\tmsync" : : : "memory");
#endif
}

/* Give a page the other one of its two frames. */
static void move(unsigned page)
{
    unsigned *old = (unsigned *)(table[page] & -PAGE);
    unsigned *new = old == frames[page] ? frames[page + PAGES] : frames[page];
    lock();
#ifdef BUG_REPLACE
    map(page, new);
#endif
    unmap(page);
    for (unsigned n = 0; n < USED; n++)
        new[n] = old[n];
    map(page, new);
    unlock();
}

/* Move a page whenever the other task has used all of them. */
static void pager(void)
{
    unsigned used = added;
    while (moves < MOVES) {
        for (int n = 0; n < 20000; n++)
            __asm__ volatile("");
        if (added - used <= PAGES)
            continue;
        move(moves % PAGES);
        moves++;
        used = added;
    }
    for (;;)
        __asm__ volatile("");
}

static void user(void)
{
    volatile unsigned *memory = (volatile unsigned *)WINDOW;
    unsigned found = 0;
    for (; moves < MOVES; added++) {
        memory[added % PAGES * (PAGE / sizeof *memory)]++;
        for (int n = 0; n < 20000; n++)
            __asm__ volatile("");
    }
    for (unsigned page = 0; page < PAGES; page++)
        found += memory[page * (PAGE / sizeof *memory)];
    board_print(found == added ? "all there\n" : "lost\n");
    board_halt();
}

int main(void)
{
    struct board_frame *first = board_task(stacks[0] + sizeof stacks[0], user);
    waiting = board_task(stacks[1] + sizeof stacks[1], pager);
    for (unsigned page = 0; page < PAGES; page++)
        map(page, frames[page]);
    board_interrupt_after(TICK);
    board_go_on(first);
}
