/* Blocks of memory that the program gets from the C library and releases. */
#include "process.h"
#include <inst/wrap.h>

#pragma weak allochook
#pragma weak releasehook
#pragma weak keephook

typedef void block_hook(inst_address, inst_address);

static void about_block(block_hook *hook, int number, const void *block, void *returns_to)
{
    if (!hook || !block)
        return;
    struct inst_running before = inst_begin_hook(number);
    hook((inst_address)block, inst_call_address(returns_to));
    inst_end_hook(before);
}

void inst_releases(const void *block, void *returns_to)
{
    about_block(releasehook, INST_RELEASEHOOK, block, returns_to);
}

void inst_still_allocated(const void *block, void *returns_to)
{
    about_block(keephook, INST_KEEPHOOK, block, returns_to);
}

void inst_allocated(const void *block, size_t size, void *returns_to)
{
    if (!allochook || !block)
        return;
    struct inst_running before = inst_begin_hook(INST_ALLOCHOOK);
    allochook((inst_address)block, size, inst_call_address(returns_to));
    inst_end_hook(before);
}
