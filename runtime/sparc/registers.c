/* The program's registers where a window ends, and where the program begins. */
#include "../registers.h"

/* In the place of %g0 is %ccr (V9) or the carry (V8). */
struct inst_dump {
    uintptr_t integer[32];
    uintptr_t y;
    uint32_t overflow, sign;    /* V8; sign: 0x80000000, 0 or 4, as the result was */
};

enum { SP = 14, O7 = 15 };
/* The frame of a site that saves the program's own registers from FIRST to LINK, and how far glue moves %sp. */
enum { FIRST = INST_SITE_FIRST, LINK = INST_SITE_LINK, FRAME = INST_SITE_FRAME,
       PLACE = INST_SITE_PLACE, MOVED = INST_SITE_MOVED };
enum { SAVED = LINK - FIRST + 1, WORD = sizeof(uintptr_t) };

static void lose(struct inst_registers *to, unsigned number)
{
    to->general[number] = 0;
    to->valid_general &= ~(1u << number);
}

/* Find what a site has saved around its call, which is at[0]: see inst/arch/sparc/rewrite/site.py. */
static void find_saved(struct inst_registers *to, const uint32_t *at, int link_is_saved)
{
    to->pc = (uintptr_t)(at + 2);
    if (at[-1] == INST_SITE_STORE_LINK + PLACE + SAVED * WORD
        && at[2] == INST_SITE_LOAD_FIRST + PLACE) {
        const uintptr_t *place = (const uintptr_t *)(to->general[SP] + PLACE);
        for (unsigned n = 0; n < SAVED; n++)
            to->general[FIRST + n] = place[n];
        to->general[O7] = place[SAVED];
        to->general[SP] += FRAME;
        to->pc = (uintptr_t)(at + 2 + SAVED + 2);
        return;
    }
    if (link_is_saved)
        to->general[O7] = to->general[LINK];
    else
        lose(to, O7);
    for (unsigned n = 0; n < SAVED && at[1] != INST_SITE_OWN_SLOT; n++)
        lose(to, FIRST + n);
}

static uintptr_t condition_of(const struct inst_dump *dump)
{
    if (WORD == 8)
        return dump->integer[0];
    return dump->sign >> 31 << 3 | (dump->sign == 0) << 2 | dump->overflow << 1 | dump->integer[0];
}

static void copy(struct inst_registers *to, const struct inst_dump *from)
{
    to->valid_general = 0xffffffff;
    to->valid_special = INST_VALID_PC | INST_VALID_CONDITION | INST_VALID_Y;
    to->general[0] = 0;
    for (unsigned n = 1; n < 32; n++)
        ((volatile uintptr_t *)to->general)[n] = from->integer[n];
    to->general[SP] += MOVED;
    to->condition = condition_of(from);
    to->y = from->y;
}

/* Called by glue where the counter has run below 0, with the address of the site's call;
   `link_is_saved` means that the site has saved %o7 in LINK. */
__attribute__((used)) void inst_window(const struct inst_dump *dump, const uint32_t *at,
                                       int link_is_saved)
{
    struct inst_registers registers;
    if (!inst_window_ended())
        return;
    copy(&registers, dump);
    find_saved(&registers, at, link_is_saved);
    inst_call_windowhook(&registers);
}

/* Called where the program begins; the condition codes of V8 cannot be read at once. */
__attribute__((used)) void inst_save_first_registers(const struct inst_dump *dump, uintptr_t pc)
{
    copy(&inst_first_registers, dump);
    inst_first_registers.pc = pc;
    if (WORD == 4) {
        inst_first_registers.valid_special &= ~INST_VALID_CONDITION;
        inst_first_registers.condition = 0;
    }
}
