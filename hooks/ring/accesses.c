/* Write accesses: a record for each, with its value. */
#include "ring.h"

#define SMALL(NAME, KIND)                                                   \
    void NAME(inst_address address, inst_address pc, uint32_t value)        \
    {                                                                       \
        record(KIND, address, pc, 0, value);                                \
    }
SMALL(ldbhook, INST_LDBHOOK)
SMALL(ldhhook, INST_LDHHOOK)
SMALL(ldwhook, INST_LDWHOOK)
SMALL(stbhook, INST_STBHOOK)
SMALL(sthhook, INST_STHHOOK)
SMALL(stwhook, INST_STWHOOK)

void lddhook(inst_address address, inst_address pc, uint64_t value)
{
    record(INST_LDDHOOK, address, pc, value >> 32, value);
}

void stdhook(inst_address address, inst_address pc, uint64_t value)
{
    record(INST_STDHOOK, address, pc, value >> 32, value);
}

/* Of 16 bytes a record has the address only. */
void ldqhook(inst_address address, inst_address pc)
{
    record(INST_LDQHOOK, address, pc, 0, 0);
}

void stqhook(inst_address address, inst_address pc)
{
    record(INST_STQHOOK, address, pc, 0, 0);
}

void llhook(inst_address address, inst_address pc, inst_address size)
{
    record(INST_LLHOOK, address, pc, 0, size);
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    record(INST_STBLOCKHOOK, address, pc, 0, size);
}

void inst_exchange(inst_address address, inst_address pc, uint64_t value, unsigned size)
{
    unsigned kind = size == 1 ? INST_STBHOOK : size == 2 ? INST_STHHOOK : INST_STWHOOK;
    record(kind | INST_RING_MARK, address, pc, 0, value);
}
