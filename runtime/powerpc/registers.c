/* The program's registers where a window ends, and where the program begins. */
#include "../registers.h"
#include <opcodes.h>

struct inst_dump {
    uintptr_t general[32];
    uintptr_t condition, exception, count;
    uintptr_t link;             /* where the program begins only */
};

enum { STACK = 1, OWN = 13 };
#ifdef __powerpc64__
enum { LOAD = 58, STORE = 62 };
#else
enum { LOAD = 32, STORE = 36 };
#endif
enum { FRAME = INST_SITE_FRAME, SLOT = INST_SITE_SLOT, LINK_SLOT = INST_SITE_LINK_SLOT };
/* The frame of 32-bit sites that save lr in a register which is live. */
enum { SHORT_FRAME = INST_SITE_SHORT_FRAME, SHORT_SLOT = INST_SITE_SHORT_SLOT };

static int is_at(uint32_t word, uint32_t primary, uint32_t offset)
{
    return (word & 0xfc1fffff) == (primary << 26 | (uint32_t)STACK << 16 | offset);
}

static int moves(uint32_t word, uint32_t how)
{
    return (word & 0xfc1fffff) == how;
}

/* Undo a site's frame, in which one register is saved. */
static void unframe(struct inst_registers *to, unsigned number, unsigned slot, unsigned frame)
{
    to->general[number] = *(const uintptr_t *)(to->general[STACK] + slot);
    to->general[STACK] += frame;
}

static void lose(struct inst_registers *to, unsigned number)
{
    to->general[number] = 0;
    to->valid_general &= ~(1u << number);
}

/* Find lr, by the code around the call that ends at `at`: see probes.py and site.py in
   inst/arch/powerpc/rewrite.  Only a site has a move to lr after a call of the counter, since the
   program's own instruction there is a jump. */
static void find_link(struct inst_registers *to, const uint32_t *at)
{
    unsigned keeper = at[-2] >> 21 & 31;
    if (is_at(at[-2], STORE, LINK_SLOT) && is_at(at[0], LOAD, LINK_SLOT)) {
        to->link = *(const uintptr_t *)(to->general[STACK] + LINK_SLOT);
        unframe(to, keeper, SLOT, FRAME);
        to->pc = (uintptr_t)(at + 4);       /* load; mtlr; load; addi */
    } else if (moves(at[-2], WORD_MFLR) && at[0] == (WORD_MTLR | keeper << 21)) {
        to->link = to->general[keeper];
        to->pc = (uintptr_t)(at + 1);
        if (sizeof(uintptr_t) == 8 || !is_at(at[-3], STORE, SHORT_SLOT)
            || !is_at(at[1], LOAD, SHORT_SLOT)) {
            lose(to, keeper);
        } else {
            unframe(to, keeper, SHORT_SLOT, SHORT_FRAME);
            to->pc = (uintptr_t)(at + 3);   /* mtlr; lwz; addi */
        }
    } else {
        to->valid_special &= ~INST_VALID_LINK;
        to->link = 0;
        to->pc = (uintptr_t)at;
    }
}

static void copy(struct inst_registers *to, const struct inst_dump *from)
{
    to->valid_general = 0xffffffff;
    to->valid_special = INST_VALID_PC | INST_VALID_CONDITION | INST_VALID_LINK | INST_VALID_COUNT
                        | INST_VALID_EXCEPTION;
    for (unsigned n = 0; n < 32; n++)
        ((volatile uintptr_t *)to->general)[n] = from->general[n];
    to->condition = (uint32_t)from->condition;
    to->exception = from->exception;
    to->count = from->count;
}

/* Called by glue where the counter has run below 0, with the address after the site's call;
   `has_own` means that r13 is the program's. */
__attribute__((used)) void inst_window(const struct inst_dump *dump, const uint32_t *at,
                                       int has_own)
{
    struct inst_registers registers;
    if (!inst_window_ended())
        return;
    copy(&registers, dump);
    find_link(&registers, at);
    if (!has_own)
        lose(&registers, OWN);
    inst_call_windowhook(&registers);
}

/* Called where the program begins. */
__attribute__((used)) void inst_save_first_registers(const struct inst_dump *dump, uintptr_t pc)
{
    copy(&inst_first_registers, dump);
    inst_first_registers.link = dump->link;
    inst_first_registers.pc = pc;
}
