/* Memory that changes without a store of the program: mapped of a file, which may be written by system
   calls, or shared with other processes. Hints state where it is; programs without have none. */
#include "calls.h"
#include "mappings.h"

#include <inst/hints.h>

/* Of asm-generic/mman-common.h, the same for both instruction sets. */
enum { MAPPING_TYPE = 0x0f, MAPPING_SHARED = 0x01, MAPPING_SHARED_VALIDATE = 0x03,
       MAPPING_FIXED = 0x10 };

static int is_any_shared;

static void report_new(uintptr_t at, uint64_t size, long flags)
{
    long type = flags & MAPPING_TYPE;
    if (type == MAPPING_SHARED || type == MAPPING_SHARED_VALIDATE) {
        is_any_shared = 1;
        inst_annotate_hint("mapping_shared", at, size, "mmap");
    } else if (is_any_shared && flags & MAPPING_FIXED) {
        inst_annotate_hint("mapping_removed", at, size, "mmap");
    }
}

void inst_mapping_changed(const struct inst_call *call, long result)
{
    const long *given = call->arguments;
    switch (call->number) {
#ifdef __NR_mmap2
    case __NR_mmap2:
#endif
    case __NR_mmap:
        report_new(result, (unsigned long)given[1], given[3]);
        break;
    case __NR_munmap:
        if (is_any_shared)
            inst_annotate_hint("mapping_removed", given[0], (unsigned long)given[1], "munmap");
        break;
    case __NR_mremap:
        if (is_any_shared) {
            inst_annotate_hint("mapping_moves", given[0], (unsigned long)given[1], "mremap");
            inst_annotate_hint("mapping_moved", result, (unsigned long)given[2], "mremap");
        }
        break;
    }
}
