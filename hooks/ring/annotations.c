/* Write annotations: a record for each, with the addresses of the texts in the program. */
#include "ring.h"

/* Annotations are rare: their hooks are small rather than fast. */
static void ring_rarely(unsigned kind, inst_address address, inst_address pc, uint32_t high,
                        uint32_t low)
{
    ring_slow(address, pc, high, low, kind);
}

/* As runtime/system_events.h has it. */
enum { BARRIER = 1, TLBI, SYSREG };
void inst_event_at(int event, const char *word, int operands, uint64_t value, inst_address pc);

#define TEXT(POINTER) ((inst_address)(POINTER))

#define OF_ADDRESS(NAME, KIND)                                              \
    void NAME(inst_address address, const char *source)                     \
    {                                                                       \
        inst_order(0, "");                                                  \
        ring_rarely(KIND, address, TEXT(source), 0, 0);                     \
    }
OF_ADDRESS(lockhook, INST_LOCKHOOK)
OF_ADDRESS(trylockhook, INST_TRYLOCKHOOK)
OF_ADDRESS(unlockhook, INST_UNLOCKHOOK)

void meminithook(inst_address address, inst_address size, const char *source)
{
    ring_rarely(INST_MEMINITHOOK, address, TEXT(source), 0, size);
}

void memfreehook(inst_address address, inst_address size, const char *source)
{
    ring_rarely(INST_MEMFREEHOOK, address, TEXT(source), 0, size);
}

void memsethook(inst_address address, inst_address size, uint32_t value, const char *source)
{
    ring_rarely(INST_MEMSETHOOK, address, TEXT(source), size, value);
}

void barrierhook(const char *kind, const char *source)
{
    ring_rarely(INST_BARRIERHOOK, TEXT(kind), TEXT(source), 0, 0);
}

/* The low half of the value: the other word is the kind's. */
void hinthook(const char *kind, inst_address address, uint64_t value, const char *source)
{
    inst_order(0, "");
    ring_rarely(INST_HINTHOOK, address, TEXT(source), TEXT(kind), value);
}

void tlbihook(const char *operation, int operands, uint64_t operand, const char *source)
{
    ring_rarely(INST_TLBIHOOK | (operands ? INST_RING_MARK : 0), TEXT(operation), TEXT(source),
           operand >> 32, operand);
}

void inst_event_at(int event, const char *word, int operands, uint64_t value, inst_address pc)
{
    unsigned kind = event == BARRIER ? INST_RING_BARRIER : event == TLBI ? INST_RING_TLBI
                                                                         : INST_RING_SYSREG;
    if (event == TLBI && operands)
        kind |= INST_RING_MARK;
    ring_rarely(kind, TEXT(word), pc, value >> 32, value);
}

void sysreghook(const char *name, uint64_t value, const char *source)
{
    ring_rarely(INST_SYSREGHOOK, TEXT(name), TEXT(source), value >> 32, value);
}
