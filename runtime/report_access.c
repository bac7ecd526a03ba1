/* From decoded instructions to hooks. */
#include "report_access.h"

#pragma weak ldbhook
#pragma weak ldhhook
#pragma weak ldwhook
#pragma weak lddhook
#pragma weak ldqhook
#pragma weak stbhook
#pragma weak sthhook
#pragma weak stwhook
#pragma weak stdhook
#pragma weak stqhook
#pragma weak llhook
#pragma weak stblockhook

typedef void small_hook(inst_address, inst_address, uint32_t);
typedef void double_hook(inst_address, inst_address, uint64_t);
typedef void quad_hook(inst_address, inst_address, uint64_t, uint64_t);

static void small(void (*hook)(), inst_address address, inst_address pc, uint32_t value)
{
    if (hook)
        ((small_hook *)hook)(address, pc, value);
}

static void wide(void (*hook)(), inst_address address, inst_address pc, uint64_t value)
{
    if (hook)
        ((double_hook *)hook)(address, pc, value);
}

static void quad(void (*hook)(), inst_address address, inst_address pc, uint64_t high,
                 uint64_t low)
{
    if (hook)
        ((quad_hook *)hook)(address, pc, high, low);
}

void inst_report_load(unsigned size, inst_address address, inst_address pc, uint64_t value,
                      uint64_t low)
{
    if (size == 1)
        small(ldbhook, address, pc, value & 0xff);
    else if (size == 2)
        small(ldhhook, address, pc, value & 0xffff);
    else if (size == 4)
        small(ldwhook, address, pc, value);
    else if (size == 8)
        wide(lddhook, address, pc, value);
    else if (size == 16)
        quad(ldqhook, address, pc, value, low);
}

void inst_report_store(unsigned size, inst_address address, inst_address pc, uint64_t value,
                       uint64_t low)
{
    if (size == 1)
        small(stbhook, address, pc, value & 0xff);
    else if (size == 2)
        small(sthhook, address, pc, value & 0xffff);
    else if (size == 4)
        small(stwhook, address, pc, value);
    else if (size == 8)
        wide(stdhook, address, pc, value);
    else if (size == 16)
        quad(stqhook, address, pc, value, low);
}

void inst_report_order(unsigned size, inst_address address)
{
    if (&inst_format == 0 || !inst_wanted(address, size))
        return;
    inst_commit_slow(inst_format.order(inst_place_slow(), address, size));
}

void inst_report_exchange(unsigned size, inst_address address, inst_address pc, uint64_t value)
{
    uint32_t kept = inst_thread.mark;
    inst_thread.mark |= INST_EXCHANGE;
    inst_report_store(size, address, pc, value, 0);
    inst_thread.mark = kept;
}

void inst_report_reservation(unsigned size, inst_address address, inst_address pc)
{
    if (llhook)
        ((small_hook *)llhook)(address, pc, size);
}

void inst_report_block(unsigned size, inst_address address, inst_address pc)
{
    if (stblockhook)
        ((small_hook *)stblockhook)(address, pc, size);
}
