/* The ring as lines of text, written by a function of the program: all of it, or what is new.

   A line is `inst-ring CPU`, the bytes of the ring's head or of a record in hexadecimal, and the sum of the
   number and these bytes modulo 256, in hexadecimal, too.  The head comes first.  `inst dump` finds these lines among others. */
#include "lines.h"
#include "ring.h"

void inst_dump(void (*put)(char));
void inst_drain(void (*put)(char));

/* The record that each processor sends next. */
static uint32_t to_send[INST_CPUS];

static uint32_t oldest(const struct inst_ring *head)
{
    return head->high || head->next > RECORDS ? head->next - RECORDS : 0;
}

/* Send the complete records from `first` to the newest, up to one that is still being written if the rest
   can wait; return the next to send.  What was overwritten before is missing in the text. */
static uint32_t send(void (*put)(char), unsigned cpu, uint32_t first, int can_wait)
{
    struct cpu_ring *own = &inst_rings[cpu];
    uint32_t last = own->head.next;
    if (last - first > RECORDS)
        first = oldest(&own->head);
    put_line(put, "inst-ring", cpu, (const uint32_t *)&own->head, sizeof own->head / 4);
    for (; first != last; first++) {
        const volatile struct inst_ring_record *at = &own->at[first % RECORDS];
        struct inst_ring_record copy = { at->claim, at->pc, at->address, at->high, at->low, at->done };
        int is_whole = copy.claim == first && !((copy.done ^ first) & 0xffffff)
                       && at->claim == first;
        if (is_whole)
            put_line(put, "inst-ring", cpu, (const uint32_t *)&copy, sizeof copy / 4);
        else if (can_wait && copy.claim == first)
            break;
    }
    put('\n');
    return first;
}

/* Recording pauses: what writes the text may be instrumented. */
void inst_dump(void (*put)(char))
{
    unsigned own = this_cpu();
    uint32_t before = ring_states[own];
    ring_states[own] = PAUSED;
    for (unsigned cpu = 0; cpu < INST_CPUS; cpu++)
        if (ring_states[cpu])
            send(put, cpu, oldest(&inst_rings[cpu].head), 0);
    ring_states[own] = before;
}

void inst_drain(void (*put)(char))
{
    unsigned cpu = this_cpu();
    if (ring_states[cpu])
        to_send[cpu] = send(put, cpu, to_send[cpu], 1);
}
