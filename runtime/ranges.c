/* Memory that the kernel or uninstrumented code touches on the program's behalf. */
#include "process.h"
#include <inst/wrap.h>

#pragma weak ldsyshook
#pragma weak stsyshook

typedef void range_hook(inst_address, inst_address);

void inst_report_read(const volatile void *address, size_t size)
{
    if (!address || !size)
        return;
    struct inst_running before = inst_begin_hook(INST_LDSYSHOOK);
    if (ldsyshook)
        ((range_hook *)ldsyshook)((inst_address)address, size);
    inst_end_hook(before);
}

void inst_report_written(const volatile void *address, size_t size)
{
    if (!address || !size)
        return;
    struct inst_running before = inst_begin_hook(INST_STSYSHOOK);
    if (stsyshook)
        ((range_hook *)stsyshook)((inst_address)address, size);
    inst_end_hook(before);
}

/* The library `record` has others: segments/ranges.c. */
void inst_reads(const volatile void *address, size_t size)
    __attribute__((weak, alias("inst_report_read")));
void inst_writes(const volatile void *address, size_t size)
    __attribute__((weak, alias("inst_report_written")));
