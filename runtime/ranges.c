/* Memory that the kernel or uninstrumented code touches on the program's behalf. */
#include <inst/runtime.h>
#include <inst/wrap.h>

#pragma weak ldsyshook
#pragma weak stsyshook

typedef void range_hook(inst_address, inst_address);

void inst_range_read(const volatile void *address, size_t size)
{
    if (ldsyshook)
        ((range_hook *)ldsyshook)((inst_address)address, size);
}

void inst_range_written(const volatile void *address, size_t size)
{
    if (stsyshook)
        ((range_hook *)stsyshook)((inst_address)address, size);
}
