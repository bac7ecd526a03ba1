/* A user's hook library that asks for values, too: 32 bytes an access, written when they are many. */
#include <inst/runtime.h>

enum { ROOM = 4000000 };   /* only what is used takes memory */

static struct {
    uint64_t pc, address, value;
    unsigned char size, store, known, unused[5];
} events[ROOM];
static unsigned count;

static inline void keep(inst_address address, inst_address pc, int size, int store, int known,
                        uint64_t value)
{
    if (count < ROOM) {
        events[count].pc = pc;
        events[count].address = address;
        events[count].value = value;
        events[count].size = size;
        events[count].known = known;
        events[count++].store = store;
    }
}

#define HOOK(NAME, TYPE, SIZE, STORE)                                   \
    void NAME(inst_address address, inst_address pc, TYPE value)        \
    {                                                                   \
        keep(address, pc, SIZE, STORE, 1, value);                       \
    }
HOOK(ldbhook, uint32_t, 1, 0)
HOOK(ldhhook, uint32_t, 2, 0)
HOOK(ldwhook, uint32_t, 4, 0)
HOOK(lddhook, uint64_t, 8, 0)
HOOK(stbhook, uint32_t, 1, 1)
HOOK(sthhook, uint32_t, 2, 1)
HOOK(stwhook, uint32_t, 4, 1)
HOOK(stdhook, uint64_t, 8, 1)

void ldqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    keep(address, pc, 8, 0, 1, high);
    keep(address + 8, pc, 8, 0, 1, low);
}

void stqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    keep(address, pc, 8, 1, 1, high);
    keep(address + 8, pc, 8, 1, 1, low);
}

void llhook(inst_address address, inst_address pc, inst_address size)
{
    keep(address, pc, size, 0, 0, 0);
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    keep(address, pc, size, 1, 0, 0);
}

void exithook(void)
{
    inst_write_text((const char *)events, count * sizeof events[0]);
}
