/* From decoded instructions to hooks. */
#include "process.h"
#include "report_access.h"
#ifndef INST_BARE
#include <inst/wrap.h>
#endif

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

/* Calls by name, so that the assembly shows what they clobber. */
#define ALWAYS static inline __attribute__((always_inline))

typedef void small_hook(inst_address, inst_address, uint32_t);
typedef void double_hook(inst_address, inst_address, uint64_t);
typedef void quad_hook(inst_address, inst_address, uint64_t, uint64_t);

ALWAYS void small(void (*hook)(), int number, inst_address address, inst_address pc, uint32_t value)
{
    struct inst_running before = inst_begin_hook(number);
    if (hook)
        ((small_hook *)hook)(address, pc, value);
    inst_end_hook(before);
}

ALWAYS void wide(void (*hook)(), int number, inst_address address, inst_address pc, uint64_t value)
{
    struct inst_running before = inst_begin_hook(number);
    if (hook)
        ((double_hook *)hook)(address, pc, value);
    inst_end_hook(before);
}

ALWAYS void quad(void (*hook)(), int number, inst_address address, inst_address pc, uint64_t high,
                 uint64_t low)
{
    struct inst_running before = inst_begin_hook(number);
    if (hook)
        ((quad_hook *)hook)(address, pc, high, low);
    inst_end_hook(before);
}

/* Return whether the library takes an access as one of which it leaves none out. */
ALWAYS int recorded(int stores, int number, unsigned size, inst_address address, inst_address pc,
                    uint64_t value, uint64_t low)
{
#if !defined(INST_BARE) && defined(__PIE__)
    if (!inst_recorded_access_is_there || !inst_thread.recorded)
        return 0;
    struct inst_running before = inst_begin_hook(number);
    inst_recorded_access(stores, size, address, pc, value, low);
    inst_end_hook(before);
    return 1;
#else
    return 0;
#endif
}

void inst_report_load(unsigned size, inst_address address, inst_address pc, uint64_t value,
                      uint64_t low)
{
    if (recorded(0, INST_LDWHOOK, size, address, pc, value, low))
        return;
    if (size == 1)
        small(ldbhook, INST_LDBHOOK, address, pc, value & 0xff);
    else if (size == 2)
        small(ldhhook, INST_LDHHOOK, address, pc, value & 0xffff);
    else if (size == 4)
        small(ldwhook, INST_LDWHOOK, address, pc, value);
    else if (size == 8)
        wide(lddhook, INST_LDDHOOK, address, pc, value);
    else if (size == 16)
        quad(ldqhook, INST_LDQHOOK, address, pc, value, low);
}

void inst_report_store(unsigned size, inst_address address, inst_address pc, uint64_t value,
                       uint64_t low)
{
    if (recorded(1, INST_STWHOOK, size, address, pc, value, low))
        return;
    if (size == 1)
        small(stbhook, INST_STBHOOK, address, pc, value & 0xff);
    else if (size == 2)
        small(sthhook, INST_STHHOOK, address, pc, value & 0xffff);
    else if (size == 4)
        small(stwhook, INST_STWHOOK, address, pc, value);
    else if (size == 8)
        wide(stdhook, INST_STDHOOK, address, pc, value);
    else if (size == 16)
        quad(stqhook, INST_STQHOOK, address, pc, value, low);
}

#ifdef INST_BARE
#include "bare/report_access.h"
#else

int inst_report_several(unsigned size, int stores, inst_address address, inst_address pc,
                        const inst_address *registers)
{
    if (!inst_several)
        return 0;
    struct inst_running before = inst_begin_hook(stores ? INST_STWHOOK : INST_LDWHOOK);
    if (size)
        inst_several(address, pc, size, stores, registers);
    inst_end_hook(before);
    return 1;
}

void inst_report_order(unsigned size, inst_address address, const char *how)
{
    if (&inst_format == 0 || !inst_format.order)
        return;
    int is_quick = inst_thread.limit && inst_format.knows && inst_format.knows(how);
    uint64_t order = is_quick ? inst_quick_order() : 0;
    if (inst_likely(order)) {
        INST_WRITE_EVENT(1, at, inst_format.order(at, order, address, size, how));
    } else if (inst_wanted(address, size)) {
        unsigned char *at = inst_place_slow();
        inst_commit_slow(inst_format.order(at, inst_next_order(), address, size, how));
    }
}

void inst_report_access(int writes, inst_address address, unsigned size, uint64_t value,
                        inst_address pc)
{
    if (&inst_format == 0 || !inst_format.access) {
        (writes ? inst_writes : inst_reads)((const void *)address, size);
        return;
    }
    struct inst_running before = inst_begin_hook(writes ? INST_STSYSHOOK : INST_LDSYSHOOK);
    INST_WRITE_EVENT(inst_wanted(address, size), at,
                     inst_format.access(at, writes, address, size, value, pc));
    inst_end_hook(before);
}

void inst_report_operation(int begins)
{
    inst_thread.in_operation = begins;
}

void inst_report_exchange(unsigned size, inst_address address, inst_address pc, uint64_t value)
{
    inst_join();
    uint32_t mark = inst_thread.mark;
    inst_thread.mark |= INST_EXCHANGE;
    inst_report_store(size, address, pc, value, 0);
    inst_thread.mark = mark;
}

#endif

void inst_report_reservation(unsigned size, inst_address address, inst_address pc)
{
    small(llhook, INST_LLHOOK, address, pc, size);
}

void inst_report_block(unsigned size, inst_address address, inst_address pc)
{
    small(stblockhook, INST_STBLOCKHOOK, address, pc, size);
}
