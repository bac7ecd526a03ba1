/* From instructions that make no access to the hooks that annotations call. */
#include "process.h"
#include "system_events.h"

#pragma weak barrierhook
#pragma weak tlbihook
#pragma weak sysreghook

#ifdef INST_BARE
/* A library that takes the place in the code itself, rather than as the text of a source. */
void inst_event_at(enum inst_event event, const char *word, int operands, uint64_t value,
                   inst_address pc) __attribute__((weak));
#endif

/* The hooks' source: the place in the code, as a number. */
static void write_place(char *text, inst_address pc)
{
    *text++ = '0';
    *text++ = 'x';
    for (int shift = 8 * sizeof pc - 4; shift >= 0; shift -= 4)
        *text++ = "0123456789abcdef"[pc >> shift & 15];
    *text = 0;
}

void inst_report_event(enum inst_event event, const char *word, int operands, uint64_t value,
                       inst_address pc)
{
    char place[2 * sizeof pc + 3];
#ifdef INST_BARE
    if (inst_event_at) {
        inst_event_at(event, word, operands, value, pc);
        return;
    }
#endif
    write_place(place, pc);
    if (event == BARRIER && barrierhook) {
        struct inst_running before = inst_begin_hook(INST_BARRIERHOOK);
        ((void (*)(const char *, const char *))barrierhook)(word, place);
        inst_end_hook(before);
    } else if (event == TLBI && tlbihook) {
        struct inst_running before = inst_begin_hook(INST_TLBIHOOK);
        ((void (*)(const char *, int, uint64_t, const char *))tlbihook)(word, operands, value,
                                                                        place);
        inst_end_hook(before);
    } else if (event == SYSREG && sysreghook) {
        struct inst_running before = inst_begin_hook(INST_SYSREGHOOK);
        ((void (*)(const char *, uint64_t, const char *))sysreghook)(word, value, place);
        inst_end_hook(before);
    }
}
