/* The page table of mmu.c: PAGES pages from WINDOW on; each board has its own kind. */
#ifndef MMU_H
#define MMU_H

enum { PAGES = 4, PAGE = 4096 };
enum { WINDOW = 0x30000000 };

/* Begin to translate; no page is mapped yet. */
void mmu_start(void);
/* Return the frame of a page that is mapped. */
unsigned *mmu_frame(unsigned page);
void mmu_map(unsigned page, unsigned *frame);
/* Take the mapping of a page away, and what the TLB has of it. */
void mmu_unmap(unsigned page);
/* Keep interrupts off while the table is changed. */
void mmu_lock(void);
void mmu_unlock(void);

#endif
