/* Accesses to the save areas of SPARC's register windows, which may be written at any time.

   Each thread has its instrumented functions' frames on a stack of its own: deeper frames have
   lower addresses, so what longjmp or an exception left is recognised by its address and
   dropped.  A frame's window may be spilled to, or filled from, the 16 words at its stack pointer at
   any time; a load or store of the program there is reported, and the program is stopped with
   SIGABRT.  */
#include "process.h"
#include <inst/guard.h>

#include <asm/signal.h>

enum { WORDS = 16, FRAMES = 1 << 18 };
#define AREA (WORDS * sizeof(inst_address))

struct frame {
    inst_address stack;  /* the function's %sp */
    inst_address frame;  /* its caller's */
    inst_address pc;     /* after its save */
};

__thread struct inst_guard inst_guard;

static void *map_frames(void)
{
    uint32_t mask[2];
    inst_block_signals(mask);
    struct frame *frames = inst_map(FRAMES * sizeof *frames);
    inst_guard.frames = frames;
    inst_unblock_signals(mask);
    return frames;
}

__attribute__((used)) void inst_guard_save_body(inst_address stack, inst_address frame,
                                                inst_address pc)
{
    struct inst_guard *guard = &inst_guard;
    struct frame *frames = guard->frames;
    uint32_t count = guard->count;
    if (!frames && !(frames = map_frames()))
        return;
    while (count && frames[count - 1].frame <= frame)
        count--;
    if (count == FRAMES) {
        guard->count = count;
        return;
    }
    /* A handler that runs in the middle preserves the count, but not what lies above. */
    do {
        frames[count] = (struct frame){ stack, frame, pc };
        inst_ordered();
        guard->count = count + 1;
        guard->lowest = stack;
        inst_ordered();
    } while (((volatile struct frame *)frames)[count].stack != stack);
    guard->highest = frames[0].stack + AREA + INST_SITE_BIAS;
}

static void set_lowest(struct inst_guard *guard, const struct frame *frames, uint32_t count)
{
    guard->count = count;
    guard->lowest = count ? frames[count - 1].stack : ~(inst_address)0;
}

__attribute__((used)) void inst_guard_restore_body(inst_address frame)
{
    struct inst_guard *guard = &inst_guard;
    struct frame *frames = guard->frames;
    uint32_t count = guard->count;
    while (count && frames[count - 1].frame < frame)
        count--;
    set_lowest(guard, frames, count);
}

__attribute__((used)) void inst_guard_move_body(inst_address stack, inst_address frame)
{
    struct frame *frames = inst_guard.frames;
    inst_guard_restore_body(frame);
    if (inst_guard.count && frames[inst_guard.count - 1].frame == frame) {
        frames[inst_guard.count - 1].stack = stack;
        set_lowest(&inst_guard, frames, inst_guard.count);
    }
}

static char *put(char *at, char *end, const char *text, inst_address number)
{
    return inst_hexadecimal(inst_text(at, end, text), end, number);
}

static char *put_frame(char *at, char *end, const char *text, const struct frame *frame)
{
    at = put(at, end, text, frame->stack);
    at = put(at, end, ", its caller's at 0x", frame->frame);
    return put(at, end, ", of the function that saved at 0x", frame->pc);
}

/* End the program as abort does; a handler of the program's sees it first. */
static void stop(void)
{
    uint32_t mask[2];
    struct {
        void (*handler)(int);
        unsigned long words[8];
    } usual = { 0 };
    long process = inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
    long thread = inst_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0);
    static const uint32_t none[2] = { 0, 0 };
    inst_block_signals(mask);
    inst_syscall(__NR_tgkill, process, thread, SIGABRT, 0, 0, 0);
    inst_unblock_signals(none);
    INST_SET_ACTION(SIGABRT, &usual, 0, 0);
    inst_syscall(__NR_tgkill, process, thread, SIGABRT, 0, 0, 0);
    for (;;)
        inst_syscall(__NR_exit_group, 128 + SIGABRT, 0, 0, 0, 0, 0);
}

static void report(inst_address address, uint32_t size, inst_address pc, const struct frame *owner)
{
    char line[640], *end = line + sizeof line - 1, *at = line;
    const struct frame *top = &((struct frame *)inst_guard.frames)[inst_guard.count - 1];
    int store = size & INST_GUARD_STORE;
    at = inst_text(at, end, "inst: stack check: ");
    at = inst_decimal(at, end, size & ~INST_GUARD_STORE);
    at = put(at, end, store ? " bytes stored at 0x" : " bytes loaded at 0x", address);
    at = put(at, end, " by the code at 0x", pc);
    at = put(at, end, " (image at 0x", inst_image_base());
    at = inst_text(at, end, "), where a register window is saved\n");
    at = put_frame(at, end, "inst: stack check: accessing frame: at 0x", top);
    at = put_frame(at, end, "\ninst: stack check: frame it belongs to: at 0x", owner);
    *at++ = '\n';
    inst_write_all(2, line, at - line);
    stop();
}

/* Look for the frame that an access lies in; frames ascend towards the first. */
__attribute__((used)) void inst_guard_search_body(inst_address address, uint32_t size,
                                                  inst_address pc)
{
    const struct frame *frames = inst_guard.frames;
    uint32_t low = 0, high = inst_guard.count;
    uint32_t bytes = size & ~INST_GUARD_STORE;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        inst_address area = frames[middle].stack + INST_SITE_BIAS;
        if (address + bytes <= area)
            low = middle + 1;
        else if (address >= area + AREA)
            high = middle;
        else
            report(address, size, pc, &frames[middle]);
    }
}

INST_PRESERVING(inst_guard_save);
INST_PRESERVING(inst_guard_restore);
INST_PRESERVING(inst_guard_move);
INST_PRESERVING(inst_guard_search);

/* Called by sites where %sp moves without a save. */
void inst_stack_moved(inst_address stack, inst_address frame)
{
    inst_guard_move(stack, frame);
}
