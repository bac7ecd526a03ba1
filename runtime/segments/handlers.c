/* Handlers of signals that interrupted a segment.

   A segment reads the cursor, adds the size of its block and stores the cursor; a handler's segments
   do so in between.  So an interrupted reservation is made again from its start.  Afterwards the
   interrupted code fills its block, in the chunk that it has reserved it in: that stays mapped until
   that code next checks whether there is room. */
#include "calls.h"
#include "output.h"
#include "part.h"

#include <entry.h>
#include <segment_words.h>

enum { WORD = sizeof(uintptr_t), LARGEST_BLOCK = 128 * sizeof(uintptr_t), ON_ALTERNATE_STACK = 1 };

/* Where a signal came in a reservation. */
struct interrupted {
    uintptr_t pc;               /* where to begin again; 0: it did not */
    int pointer;                /* the register with the cursor, -1 if that will be loaded */
};

/* Return the distance of the cursor from the thread pointer. */
static int32_t offset_of_cursor(void)
{
    uintptr_t now;
    __asm__ __volatile__(INST_THREAD_POINTER : "=r"(now));
    return (intptr_t)&inst_segments - (intptr_t)now;
}

static struct interrupted find_reservation(uintptr_t pc)
{
    struct interrupted none = { 0, -1 };
    const uint32_t *at = (const uint32_t *)pc;
    int32_t cursor = offset_of_cursor(), limit = cursor + WORD;
    uintptr_t first = pc - 4 * INST_BEFORE;
    if (pc % 4 || pc < 4096
        || !inst_is_readable((const void *)first, 4 * (INST_BEFORE + INST_RESERVING)))
        return none;
    for (int n = 0; n < INST_RESERVING; n++) {
        int pointer = inst_reserves(at - n, cursor);
        if (pointer >= 0)
            return (struct interrupted){ pc - 4 * n, pointer };
    }
    int since = inst_words_since_load(at, cursor, limit);
    return since ? (struct interrupted){ pc - 4 * since, -1 } : none;
}

/* Begin an interrupted reservation again when the handler has returned. */
static void reserve_again(uintptr_t *registers)
{
    struct interrupted found = find_reservation(registers[INST_PC]);
    if (!found.pc)
        return;
    if (found.pointer >= 0)
        *inst_register(registers, found.pointer) = inst_segments.cursor;
    inst_continue_at(registers, found.pc);
}

/* Remove the trailer of a block that is not reserved yet: the handler may never return. */
static void remove_trailer(uintptr_t *registers)
{
    struct interrupted found = find_reservation(registers[INST_PC]);
    if (found.pointer < 0)
        return;
    uintptr_t trailer = *inst_register(registers, found.pointer);
    if (trailer - inst_segments.cursor - 1 < LARGEST_BLOCK)
        *(uintptr_t *)trailer = 0;
}

/* Release what code has kept that checks now whether there is room: it is in no segment. */
void inst_release_kept(struct inst_part *part)
{
    int left = 0;
    for (int n = 0; n < part->kept_count; n++) {
        struct inst_pin one = part->kept[n];
        if (one.level >= part->pinned)
            inst_release_part(one.chunk, one.number, one.copied);
        else
            part->kept[left++] = one;
    }
    part->kept_count = left;
}

static void release_pin(struct inst_part *part)
{
    struct inst_pin pin = part->pins[--part->pinned];
    if (pin.spent)
        inst_release_part(pin.chunk, pin.number, pin.copied);
}

void inst_release_all_kept(struct inst_part *part)
{
    while (part->pinned)
        release_pin(part);
    inst_release_kept(part);
}

/* A handler returns: the code that it interrupted goes on, maybe in a chunk that is no longer the
   thread's.  Where too many are kept, this one stays mapped. */
static void keep_pins(struct inst_part *part, int arrival)
{
    while (part->pinned > arrival) {
        struct inst_pin pin = part->pins[--part->pinned];
        pin.level = part->pinned;
        if (pin.spent && part->kept_count < INST_PINS)
            part->kept[part->kept_count++] = pin;
    }
}

/* Forget handlers that have been left by longjmp: those that were called from below this one. */
static void release_left(struct inst_part *part, uintptr_t stack)
{
    struct {
        void *base;
        int flags;
        unsigned long size;
    } alternate = { 0, 0, 0 };
    if (!part->pinned || part->pins[part->pinned - 1].stack >= stack)
        return;
    inst_syscall(__NR_sigaltstack, 0, (long)&alternate, 0, 0, 0, 0);
    while (!(alternate.flags & ON_ALTERNATE_STACK) && part->pinned
           && part->pins[part->pinned - 1].stack < stack)
        release_pin(part);
}

/* Keep the thread's chunk mapped until the handler returns. */
static void pin(struct inst_part *part, uintptr_t stack)
{
    int n = part->pinned;
    if (!part->chunk || n == INST_PINS || (n && part->pins[n - 1].chunk == part->chunk))
        return;
    part->pins[n] = (struct inst_pin){ part->chunk, stack, part->number, part->copied, 0, n };
    part->pinned = n + 1;
}

int inst_segments_arrive(uintptr_t *registers)
{
    uint32_t mask[2];
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    int arrival = 0;
    inst_block_signals(mask);
    if (inst_thread.block && inst_segments.cursor) {
        struct inst_part *part = &inst_thread.block->part;
        remove_trailer(registers);
        release_left(part, stack);
        arrival = part->pinned;
        pin(part, stack);
    }
    inst_unblock_signals(mask);
    return arrival;
}

void inst_segments_return(uintptr_t *registers, int arrival)
{
    struct inst_thread *thread = &inst_thread;
    if (!inst_segments.cursor)
        return;
    if (inst_segments.cursor >= inst_segments.limit)
        inst_make_room(thread);
    reserve_again(registers);
    if (thread->block)
        keep_pins(&thread->block->part, arrival);
}
