/* Stage-2 page tables as the Arm architecture has them: 4 KiB granule, 39-bit addresses. */
#ifndef PAGETABLE_H
#define PAGETABLE_H

#include <stdint.h>

enum { PAGE = 4096, ENTRIES = 512, POOL_PAGES = 64, ROOT_LEVEL = 1, LAST_LEVEL = 3 };
enum { READ = 1 << 6, WRITE = 2 << 6, ACCESSED = 1 << 10 };

/* A virtual machine's address space. */
struct space {
    volatile uint64_t *root;
    unsigned id;
    volatile int lock;
};

/* Every table lies here: INST_WATCH=pool limits a trace to this memory. */
extern volatile uint64_t pool[POOL_PAGES][ENTRIES];

void space_create(struct space *space, unsigned id);
void space_install(const struct space *space);
void space_release(struct space *space);

void space_lock(struct space *space);
void space_unlock(struct space *space);

/* All of these want the lock. */
void map_page(struct space *space, uint64_t from, uint64_t to, uint64_t access);
void map_block(struct space *space, uint64_t from, uint64_t to, uint64_t access);
void unmap(struct space *space, uint64_t from);
void remap(struct space *space, uint64_t from, uint64_t to, uint64_t access);
void protect(struct space *space, uint64_t from, uint64_t access);
void split_block(struct space *space, uint64_t from);
void prune(struct space *space, uint64_t from);

/* Return where an address goes, or all ones. */
uint64_t translate(const struct space *space, uint64_t from);

/* The seeded bug that the checker has to find. */
enum bug {
    NO_BUG, MISSING_TLBI, MISSING_DSB_BEFORE, MISSING_DSB_AFTER, REPLACED_IN_PLACE, TLBI_FIRST,
    WRONG_LOCK, NO_LOCK, LOCK_UNKNOWN, TWO_PLAIN_WRITES, FREED_TOO_EARLY, NOT_INITIALISED,
    WRONG_ENCODING, SAME_ID, RELEASED_IN_USE, LOCAL_BARRIER, LOCAL_TLBI, USED_TWICE,
    CHANGED_BELOW, UNLOCKED_TWICE, WRONG_SHIFT, BUGS,
};
extern enum bug bug;

#endif
