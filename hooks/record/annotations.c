/* Events other than accesses: as the library rst writes them. */
#include "record.h"

#include "../rst/annotations.c"

void inst_record_fork(uint64_t number)
{
    write_annotation((struct annotation){ OTHER, HAS_VALUE, 0, number, 0 }, "fork", "");
}
