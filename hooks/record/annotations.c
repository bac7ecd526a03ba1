/* Events other than accesses: as the library rst writes them. */
#include "record.h"

#include "../rst/annotations.c"

#include <context.h>

void inst_record_fork(uint64_t number)
{
    write_annotation((struct annotation){ RST_KIND_OTHER, RST_FLAG_HAS_VALUE, 0, number, 0 },
                     "fork", "");
}

int inst_record_place(const unsigned char *record, struct inst_place *place)
{
    _Static_assert((int)INST_PLACE_BYTES == (int)RST_SIZE, "a record has another size");
    if (*record != RST_POSITION)
        return 0;
    *place = (struct inst_place){ get(record, 2), get(record, 3),
                                  (uint64_t)get(record, 4) << 32 | get(record, 5) };
    return 1;
}

/* Write REGVAL records, each with two registers, in groups for which there is room. */
void inst_record_registers(const uintptr_t *registers, const uintptr_t *window,
                           const uint32_t *floats)
{
    enum { MOST = 2 * EVENT_RECORDS };
    unsigned count = floats ? INST_VALUES : INST_INTEGERS;
    for (unsigned n = 0; n < count;) {
        unsigned char *at = rst_position(inst_place_slow());
        unsigned end = n + MOST < count ? n + MOST : count;
        for (; n < end; n += 2, at += RST_SIZE) {
            struct inst_value one = inst_interrupted_value(n, registers, window, floats);
            struct inst_value two = { RST_REGISTER_EMPTY, 0, 0 };
            if (n + 1 < end)
                two = inst_interrupted_value(n + 1, registers, window, floats);
            put(at, 1, one.number << 24 | two.number << 16);
            put_two(at, 2, one.value >> 32, one.value);
            put_two(at, 4, two.value >> 32, two.value);
            inst_ordered();
            put(at, 0, RST_REGVAL << 24 | one.type << 8 | two.type);
        }
        inst_commit_slow(at);
    }
}
