/* Shared by the files of the library: where a record goes, and how it is written. */
#ifndef INST_HOOKS_RING_H
#define INST_HOOKS_RING_H

#include <inst/ring.h>
#include <inst/runtime.h>

#ifndef INST_RING_RECORDS
#define INST_RING_RECORDS 2048
#endif
#ifndef INST_CPUS
#define INST_CPUS 1
#endif

#pragma GCC visibility push(hidden)

enum { RECORDS = INST_RING_RECORDS };
_Static_assert(sizeof(struct inst_ring) == 64 && sizeof(struct inst_ring_record) == 24, "layout");

extern struct cpu_ring {
    struct inst_ring head;
    struct inst_ring_record at[RECORDS];
} inst_rings[INST_CPUS];

/* Whether a processor records. The start of the program clears it; a warm reset keeps the ring. */
enum { RECORDING = 0x52494e47, PAUSED = 0x50415553 };
extern volatile uint32_t ring_states[INST_CPUS];

#include <ring_steps.h>

static inline __attribute__((always_inline)) unsigned this_cpu(void)
{
    return INST_CPUS > 1 ? ring_cpu() % INST_CPUS : 0;
}

/* Fill the place of a number that was claimed; `done` is stored last. */
static inline __attribute__((always_inline)) void fill(
    struct inst_ring *head, volatile struct inst_ring_record *at, uint32_t number, unsigned kind,
    inst_address address, inst_address pc, uint32_t high, uint32_t low)
{
    at->pc = pc;
    at->address = address;
    at->high = high;
    at->low = low;
    uint32_t next = number + 1;
    if (inst_unlikely(!next))
        head->high++;
    if (inst_likely((int32_t)(next - head->next) > 0))
        head->next = next;
    at->done = kind << 24 | (number & 0xffffff);
}

/* Write a record where the fast path cannot: the first of the program, or one whose place was taken
   by what interrupted it. */
void ring_slow(inst_address address, inst_address pc, uint32_t high, uint32_t low, unsigned kind);

/* Write a record with the place of what comes next in the order of all processors, if there are several. */
void inst_order(inst_address address, const char *how);

static inline __attribute__((always_inline)) void record(
    unsigned kind, inst_address address, inst_address pc, uint32_t high, uint32_t low)
{
    unsigned cpu = this_cpu();
    struct cpu_ring *own = &inst_rings[cpu];
    if (inst_unlikely(ring_states[cpu] != RECORDING)) {
        ring_slow(address, pc, high, low, kind);
        return;
    }
    uint32_t number = own->head.next;
    volatile struct inst_ring_record *at = &own->at[number % RECORDS];
    __asm__("" : "+r"(at));     /* computed once, and so in one register */
    uint32_t before = ring_exchange(&at->claim, number);
    if (inst_unlikely(before != number - RECORDS)) {
        at->claim = before;
        ring_slow(address, pc, high, low, kind);
        return;
    }
    fill(&own->head, at, number, kind, address, pc, high, low);
}

#pragma GCC visibility pop

#endif
