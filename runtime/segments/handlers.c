/* Handlers of signals that interrupted a segment.

   A segment reads the cursor, adds the size of its block and stores the cursor; a handler's segments
   do so in between.  So an interrupted reservation is made again from its start.  Afterwards the
   interrupted code fills its block, in the chunk that it has reserved it in: that stays mapped until
   the handler has returned. */
#include "calls.h"
#include "context.h"
#include "output.h"
#include "part.h"

#include <asm/signal.h>

void inst_release_pins(struct inst_part *part, int number)
{
    while (part->pinned > number) {
        struct inst_pin pin = part->pins[--part->pinned];
        if (pin.spent)
            inst_release_part(pin.chunk, pin.number, pin.copied);
    }
}

int inst_segments_arrive(const uintptr_t *registers)
{
    (void)registers;
    return 0;
}

void inst_segments_return(uintptr_t *registers, int arrival)
{
    (void)registers;
    (void)arrival;
}
