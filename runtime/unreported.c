/* Accesses that no site reports, because a reservation is open: how many there were.

   Sites beside them pass their number when none is open.  It is reported at the end of the run and,
   as `unreported=`, among the strings that a trace begins with: ten digits, and `+` after them if
   there may have been more.  Like `ending=` they are changed in place; a trace that goes to
   a pipe begins with `unknown` and has the number at its end.  */
#include "output.h"
#include "width.h"

#include <architecture.h>

enum { DIGITS = 10, WIDTH = DIGITS + 1 };   /* with the name it fits into one string record of RST */

#define unreported inst_recorder.unreported

/* The entries that sites call; the linker includes those that are called. */
#define ENTRY(NAME, SYMBOL) \
    extern const char NAME[] __asm__(SYMBOL) __attribute__((weak, visibility("hidden")))
ENTRY(plain, "inst.unreported");
ENTRY(plain_x, "inst.unreported.x");
ENTRY(in_r12, "inst.unreported.a12");
ENTRY(in_r12_x, "inst.unreported.a12.x");
ENTRY(in_r11, "inst.unreported.a11");
ENTRY(in_r11_x, "inst.unreported.a11.x");

int inst_has_unreported_sites(void)
{
    return plain || plain_x || in_r12 || in_r12_x || in_r11 || in_r11_x;
}

static void put(volatile unsigned char *at, uint32_t number)
{
    char text[DIGITS];
    unsigned digits = inst_decimal(text, text + DIGITS, number) - text;
    for (unsigned n = 0; n < DIGITS; n++)
        at[n] = n < DIGITS - digits ? '0' : text[n - (DIGITS - digits)];
    at[DIGITS] = unreported.more ? '+' : ' ';
}

/* Put the number into the trace.  Of threads that do so at once, the last one checks it again. */
static void update(void)
{
    volatile unsigned char *at = unreported.in_trace;
    uint32_t number, had_more;
    do {
        number = unreported.count;
        had_more = unreported.more;
        if (at)
            put(at, number);
        inst_ordered();
    } while (number != unreported.count || had_more != unreported.more);
}

#if INST_LEAVES_OUT_ACCESSES
/* Called by sites; 0 means accesses that may have happened. */
__attribute__((noinline, noclone)) void inst_unreported(uint32_t number)
{
    uint32_t before = __atomic_fetch_add(&unreported.count, number, __ATOMIC_SEQ_CST);
    if (!number || before + number < before)
        unreported.more = 1;
    if (before + number < before)
        unreported.count = UINT32_MAX;
    update();
}
#endif

/* The string at the start of a trace; 0 if its program has no such accesses. */
const char *inst_first_unreported(char *room)
{
    if (!(inst_recorder.facts & INST_HAS_UNREPORTED))
        return 0;
    if (inst_streams())
        return "unknown";
    put((volatile unsigned char *)room, unreported.count);
    room[WIDTH] = 0;
    return room;
}

/* The string at the end of a trace whose start cannot have it: a trace that goes to a pipe, or a module
   with such accesses came later; else 0. */
const char *inst_last_unreported(char room[INST_NUMBER])
{
    if (!(inst_recorder.facts & INST_HAS_UNREPORTED) || unreported.in_trace)
        return 0;
    put((volatile unsigned char *)room, unreported.count);
    room[WIDTH] = 0;
    return room;
}

/* The start of the trace is mapped; or, in a child of fork, it is its parent's. */
void inst_map_unreported(unsigned char *start)
{
    enum { FARTHEST = 32 };     /* s-expressions have `") (value "` in between */
    static const char name[] = "unreported";
    unsigned length = sizeof name - 1, same = 0;
    unsigned char *at = start, *end = start + START_ROOM - FARTHEST - WIDTH;
    for (; (inst_recorder.facts & INST_HAS_UNREPORTED) && at < end && same < length; at++)
        for (same = 0; same < length && at[same] == (unsigned char)name[same];)
            same++;
    if (same < length)
        return;
    for (unsigned n = 0; n < FARTHEST && (*at < '0' || *at > '9'); n++)
        at++;
    unreported.in_trace = at;
    update();
}

void inst_forget_unreported(void)
{
    unreported.in_trace = 0;
    unreported.count = unreported.more = unreported.reported = unreported.reported_more = 0;
}

/* Report on standard error how many there were, if more than reported before. */
void inst_report_unreported(void)
{
    uint32_t number = unreported.count;
    char text[120], *end = text + sizeof text - 1;
    if (number == unreported.reported && unreported.more == unreported.reported_more)
        return;
    unreported.reported = number;
    unreported.reported_more = unreported.more;
    char *at = inst_decimal(text, end, number);
    at = inst_text(at, end, unreported.more ? " or more" : "");
    at = inst_text(at, end, number == 1 && !unreported.more ? " access" : " accesses");
    at = inst_text(at, end, " between a load with reservation and its conditional store ");
    at = inst_text(at, end, number == 1 && !unreported.more ? "was" : "were");
    *inst_text(at, end, " not reported") = 0;
    inst_message(text, "", 0);
}
