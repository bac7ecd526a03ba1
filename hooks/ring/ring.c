/* Records in a ring in memory, for programs without an operating system: see inst/ring.h.

   An interrupt may come between any two instructions, its handler may make records, and it may go on
   with another task, which makes records, too, before the first goes on.  So each record's place is
   claimed by one atomic exchange of the place's `claim` with the record's number.  Whoever finds
   its own number there came second and goes on to the next one: the exchange has changed nothing.
   The count `next` is where free places begin; it may lag behind, but never runs ahead. */
#include "ring.h"

#define TEXT_OF(X) #X
#define TEXT(X) TEXT_OF(X)

/* C has no way to say that a section has no bytes in the file. */
__asm__(".section .inst_ring,\"aw\",@nobits\n"
        "\t.balign 64\n\t.globl inst_rings\n\t.hidden inst_rings\n"
        "\t.type inst_rings, @object\n"
        "inst_rings:\n"
        "\t.skip " TEXT(INST_CPUS) "*(64+24*" TEXT(INST_RING_RECORDS) ")\n"
        "\t.size inst_rings, .-inst_rings\n"
#if INST_CPUS > 1
        "\t.hidden ring_places\n\t.type ring_places, @object\n"
        "ring_places:\n\t.skip 4\n\t.size ring_places, 4\n"
#endif
        "\t.previous");

volatile uint32_t ring_states[INST_CPUS];

#if INST_CPUS > 1
/* In the same section, as it has to be kept when the rings are. */
extern volatile uint32_t ring_places;

static uint32_t next_place(void)
{
    ring_fence();
    uint32_t place = ring_increment(&ring_places);
    ring_fence();
    return place;
}
#endif

extern const char build[] __asm__("inst.build") __attribute__((visibility("hidden")));

static int is_kept(const struct inst_ring *head)
{
    static const char magic[] = "INSTRING";
    for (unsigned n = 0; n < sizeof head->magic; n++)
        if (head->magic[n] != magic[n])
            return 0;
    return head->version == INST_RING_VERSION && head->build == (uint32_t)(uintptr_t)build
           && head->records == RECORDS;
}

/* Number the places for the first time, unless a handler comes in between and does it. */
static void clear(struct cpu_ring *own, unsigned cpu)
{
    own->head.magic[0] = 0;
    for (uint32_t n = 0; n < RECORDS; n++) {
        if (ring_states[cpu] == RECORDING)
            return;
        own->at[n].claim = n - RECORDS;
        own->at[n].done = ~n;
    }
    own->head.version = INST_RING_VERSION;
    own->head.build = (uint32_t)(uintptr_t)build;
    own->head.machine = RING_MACHINE;
    own->head.records = RECORDS;
    own->head.next = own->head.high = own->head.starts = own->head.unreported = 0;
    own->head.cpu = cpu;
    own->head.cpus = INST_CPUS;
    inst_ordered();
    for (unsigned n = 0; n < sizeof own->head.magic; n++)
        own->head.magic[n] = "INSTRING"[n];
}

/* Claim the first free place that nobody else takes; return its number. */
static uint32_t claimed(struct cpu_ring *own)
{
    uint32_t number = own->head.next;
    for (;;) {
        volatile uint32_t *claim = &own->at[number % RECORDS].claim;
        uint32_t before = ring_exchange(claim, number);
        if (before == number) {
            uint32_t next = own->head.next;
            number = (int32_t)(next - number) > 0 ? next : number + 1;
        } else if (before != number - RECORDS && (int32_t)(before - number) > 0) {
            *claim = before;            /* `next` lags behind by more than the ring */
            number = before + 1;
        } else
            return number;
    }
}

static void record_slowly(struct cpu_ring *own, unsigned kind, inst_address address,
                          inst_address pc, uint32_t high, uint32_t low)
{
    uint32_t number = claimed(own);
    fill(&own->head, &own->at[number % RECORDS], number, kind, address, pc, high, low);
}

/* Begin to record, if the program has just started. */
static void begin(struct cpu_ring *own, unsigned cpu)
{
    if (!is_kept(&own->head))
        clear(own, cpu);
    if (ring_states[cpu] == RECORDING)
        return;
    uint32_t starts = ++own->head.starts;
    ring_states[cpu] = RECORDING;
    record_slowly(own, INST_RING_START, 0, 0, 0, starts);
#if INST_CPUS > 1
    record_slowly(own, INST_RING_ORDER, 0, (inst_address)"", 0, next_place());
#endif
}

/* Return the processor's ring, which records from now on if the program has just started; 0: it pauses. */
static struct cpu_ring *begun(void)
{
    unsigned cpu = this_cpu();
    struct cpu_ring *own = &inst_rings[cpu];
    if (ring_states[cpu] == PAUSED)
        return 0;
    if (ring_states[cpu] != RECORDING)
        begin(own, cpu);
    return own;
}

__attribute__((used)) void ring_slow_body(inst_address address, inst_address pc, uint32_t high,
                                          uint32_t low, unsigned kind)
{
    struct cpu_ring *own = begun();
    if (own)
        record_slowly(own, kind, address, pc, high, low);
}

INST_PRESERVING(ring_slow);

/* The place is taken after the start's. */
void inst_order(inst_address address, const char *how)
{
#if INST_CPUS > 1
    struct cpu_ring *own = begun();
    if (own)
        record_slowly(own, INST_RING_ORDER, address, (inst_address)how, 0, next_place());
#else
    (void)address, (void)how;
#endif
}

void inst_leave_out(uint32_t number)
{
    inst_rings[this_cpu()].head.unreported += number;
}

void inst_pause(const char *source)
{
    unsigned cpu = this_cpu();
    if (ring_states[cpu] == PAUSED)
        return;
    record(INST_RING_PAUSE, 0, (inst_address)source, 0, 0);
    ring_states[cpu] = PAUSED;
}

void inst_resume(const char *source)
{
    unsigned cpu = this_cpu();
    if (ring_states[cpu] != PAUSED)
        return;
    ring_states[cpu] = RECORDING;
    record(INST_RING_RESUME, 0, (inst_address)source, 0, 0);
}
