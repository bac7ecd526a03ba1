/* Pages that the kernel moves while a task uses them.
   Compile with one of these to see what `inst check` says of it:
     -DBUG_REPLACE     the new entry is written over the old one
     -DBUG_NO_FLUSH    a page is unmapped without an invalidation of the TLB
     -DBUG_NO_TLBSYNC  nothing waits for that invalidation (e500)
     -DBUG_NO_LOCK     the table is changed while interrupts may come */
#include "board.h"
#include "mmu.h"

enum { USED = 8, MOVES = 12, TICK = 2000 };

static unsigned frames[2 * PAGES][PAGE / sizeof(unsigned)] __attribute__((aligned(PAGE)));
static struct board_frame *waiting;
static char stacks[2][4096] __attribute__((aligned(16)));
static volatile unsigned moves;
static volatile unsigned added;

struct board_frame *board_tick(struct board_frame *frame)
{
    struct board_frame *next = waiting;
    waiting = frame;
    board_interrupt_after(TICK);
    return next;
}

static int is_locked(void)
{
#ifdef BUG_NO_LOCK
    return moves != MOVES / 2;
#else
    return 1;
#endif
}

/* Give a page the other one of its two frames. */
static void move(unsigned page)
{
    unsigned *old = mmu_frame(page);
    unsigned *new = old == frames[page] ? frames[page + PAGES] : frames[page];
    if (is_locked())
        mmu_lock();
#ifdef BUG_REPLACE
    mmu_map(page, new);
#endif
    mmu_unmap(page);
    for (unsigned n = 0; n < USED; n++)
        new[n] = old[n];
    mmu_map(page, new);
    if (is_locked())
        mmu_unlock();
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
    mmu_start();
    for (unsigned page = 0; page < PAGES; page++)
        mmu_map(page, frames[page]);
    board_interrupt_after(TICK);
    board_go_on(first);
}
