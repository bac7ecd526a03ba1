/* Memory for hooks: blocks of powers of two, cut from pages of the system's, in lists.

   A lock guards the lists, and signals are blocked while it is held, so a handler's hooks never
   wait for the thread they interrupted.  Blocks above the greatest class are mapped by
   themselves.  */
#include "process.h"
#include <inst/support.h>

enum { LEAST = 5, GREATEST = 16, PIECE = 1 << 18, HEADER = 16 };

/* Precedes each block; while the block is free, `next` continues the list. */
struct header {
    size_t size;    /* bytes after the header */
    struct header *next;
};
_Static_assert(sizeof(struct header) <= HEADER, "blocks stay aligned");

static struct header *lists[GREATEST + 1];
static char *rest, *rest_end;

static struct header *cut(unsigned class)
{
    size_t size = (size_t)1 << class;
    if ((size_t)(rest_end - rest) < size) {
        char *piece = inst_map(PIECE);
        if (!piece)
            return 0;
        rest = piece;
        rest_end = piece + PIECE;
    }
    struct header *block = (struct header *)rest;
    rest += size;
    block->size = size - HEADER;
    return block;
}

static struct header *map_block(size_t size)
{
    if (size > SIZE_MAX - HEADER - 4096)
        return 0;
    struct header *block = inst_map(size + HEADER);
    if (block)
        block->size = size;
    return block;
}

void *MALLOC(size_t size)
{
    uint32_t mask[2];
    unsigned class = LEAST;
    if (size > ((size_t)1 << GREATEST) - HEADER) {
        struct header *block = map_block(size);
        return block ? (char *)block + HEADER : 0;
    }
    while (((size_t)1 << class) < size + HEADER)
        class++;
    inst_block_signals(mask);
    inst_lock_owned(&inst_process.memory_lock);
    struct header *block = lists[class];
    if (block)
        lists[class] = block->next;
    else
        block = cut(class);
    inst_unlock_owned(&inst_process.memory_lock);
    inst_unblock_signals(mask);
    return block ? (char *)block + HEADER : 0;
}

void FREE(void *given)
{
    uint32_t mask[2];
    unsigned class = LEAST;
    if (!given)
        return;
    struct header *block = (struct header *)((char *)given - HEADER);
    if (block->size > ((size_t)1 << GREATEST) - HEADER) {
        inst_syscall(__NR_munmap, (long)block, block->size + HEADER, 0, 0, 0, 0);
        return;
    }
    while (((size_t)1 << class) < block->size + HEADER)
        class++;
    inst_block_signals(mask);
    inst_lock_owned(&inst_process.memory_lock);
    block->next = lists[class];
    lists[class] = block;
    inst_unlock_owned(&inst_process.memory_lock);
    inst_unblock_signals(mask);
}

void *CALLOC(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return 0;
    void *block = MALLOC(bytes);
    return block ? MEMSET(block, 0, bytes) : 0;
}

void *REALLOC(void *block, size_t size)
{
    if (!block)
        return MALLOC(size);
    size_t old = ((struct header *)((char *)block - HEADER))->size;
    if (size <= old)
        return block;
    void *made = MALLOC(size);
    if (!made)
        return 0;
    MEMCPY(made, block, old);
    FREE(block);
    return made;
}
