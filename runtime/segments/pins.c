/* Pins: where code goes on that signals interrupted, each the handler of the one before.

   Any number of handlers may run, and pins have no place on the stacks of these: a longjmp would leave
   them in memory that is used for other things.  So they are in groups, each of twice as many as the one
   before, which stay with what outlives the thread. */
#include "output.h"
#include "part.h"

#include <asm/errno.h>

/* Return a pin by its number; 0 where its group is missing. */
struct inst_pin *inst_pin(const struct inst_part *part, unsigned n)
{
    unsigned group = 0;
    for (; n >= INST_PINS << group; group++)
        n -= INST_PINS << group;
    return part->pins[group] ? &part->pins[group][n] : 0;
}

/* Make the group that begins with this pin; the trace ends where there is no memory. */
static void add_group(struct inst_part *part, unsigned n)
{
    unsigned group = 0;
    while (part->pins[group])
        group++;
    part->pins[group] = inst_map(sizeof(struct inst_pin) * (n + INST_PINS));
    if (part->pins[group])
        return;
    inst_lock_process();
    if (inst_process.mode != STOPPED)
        inst_stop("cannot write more of the trace to ", ENOMEM);
    inst_unlock_process();
}

/* Add a pin.  Where it cannot be kept, the trace has ended and the code will go on nowhere. */
void inst_add_pin(struct inst_part *part, const struct inst_pin *pin)
{
    unsigned n = part->pinned;
    if (!inst_pin(part, n))
        add_group(part, n);
    struct inst_pin *to = inst_pin(part, n);
    if (!to)
        return;
    *to = *pin;
    inst_ordered();             /* another thread may end the process */
    *(volatile unsigned *)&part->pinned = n + 1;
}

static void release_last(struct inst_part *part)
{
    struct inst_pin pin = *inst_pin(part, --part->pinned);
    inst_release_part(pin.chunk, pin.number, pin.copied);
}

void inst_release_pins(struct inst_part *part, unsigned from)
{
    while (part->pinned > from)
        release_last(part);
}

/* Release those of handlers that have been left by longjmp, where code with this stack runs: what a
   handler calls lies below it, unless it came to another stack.  Code goes to the alternate stack
   only by a signal, and while something runs there only code there does. */
void inst_release_left(struct inst_part *part, uintptr_t stack)
{
    struct {
        uintptr_t base;
        int flags;
        unsigned long size;
    } alternate = { 0, 0, 0 };
    if (!part->pinned)
        return;
    inst_syscall(__NR_sigaltstack, 0, (long)&alternate, 0, 0, 0, 0);
    int is_there = stack - alternate.base < alternate.size;
    while (part->pinned) {
        uintptr_t handler = inst_pin(part, part->pinned - 1)->stack;
        int was_there = handler - alternate.base < alternate.size;
        if (was_there < is_there || (was_there == is_there && stack < handler))
            return;
        release_last(part);
    }
}
