/* Memory that library functions touch, as blocks: what a checked segment would write, in C.

   A block has the range's address, its size, and a name, which leads to no code but to a row of the
   table that says what it is.  Among values that follow each other the name comes first, as where control
   arrives.  Where neither can be written it is an event, as in other libraries. */
#include "process.h"
#include "segments.h"

#include <inst/wrap.h>

/* Named by their addresses, each with its row: 0x4000, and 1 if the range is written. */
#if __SIZEOF_POINTER__ == 8
#define ADDRESS ".8byte"
#else
#define ADDRESS ".4byte"
#endif
#define NAMED(NAME, CODE)                                                                \
    __asm__("\t.section .text\n\t.balign 4\n\t.globl " #NAME "\n\t.hidden " #NAME "\n"    \
            #NAME ":\n\t.4byte 0\n\t.section .debug_inst_record,\"\",@progbits\n\t"      \
            ADDRESS " " #NAME "\n\t.2byte " #CODE ",0\n\t.section .text\n")
NAMED(inst_range_read, 0x4000);
NAMED(inst_range_written, 0x4001);

/* Words of a block beyond the cursor. */
enum { FIRST = 1, SECOND, THIRD, WORDS = INST_BEYOND, WORD = sizeof(uintptr_t) };

/* Write a block, and return whether there was room.  The name is stored first: wherever the program is
   killed, a block's last word is the name of one, and values end with a range that is not whole.  The cursor
   is moved last, and nothing beyond it is in a register before: a signal comes before the block, whose words
   are out of the way until the handler returns (segments/handlers.c), or after it. */
static inline __attribute__((always_inline)) int put_range(int is_written, uintptr_t address,
                                                           uintptr_t size)
{
    const struct inst_block *block = inst_thread.block;
    if (inst_unlikely(!block || !block->part.chunk))
        return 0;
    uintptr_t cursor = inst_segments.cursor, name = block->part.ranges[is_written];
    if (inst_unlikely(cursor >= inst_segments.limit || !name))
        return 0;
    volatile uintptr_t *words = (volatile uintptr_t *)cursor;
    if (INST_IS_LOOSE) {
        words[FIRST] = name;
        words[SECOND] = address;
        words[THIRD] = size;
    } else {
        words[THIRD] = name;
        words[FIRST] = address;
        words[SECOND] = size;
    }
    __asm__ __volatile__("" : "+r"(cursor) : : "memory");
    *(volatile uintptr_t *)&inst_segments.cursor = cursor + WORDS * WORD;
    return 1;
}

void inst_reads(const volatile void *address, size_t size)
{
    if (address && size && !put_range(0, (uintptr_t)address, size))
        inst_report_read(address, size);
}

void inst_writes(const volatile void *address, size_t size)
{
    if (address && size && !put_range(1, (uintptr_t)address, size))
        inst_report_written(address, size);
}
