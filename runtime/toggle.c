/* INST_TOGGLE: a signal at which the recording pauses or goes on.

   The handler is the runtime's own: the program has none for the signal, and system calls that it
   interrupts go on.  It changes what the process does; the thread that received it follows at its next
   event or check. */
#include "output.h"
#include "segments.h"

#include <asm/signal.h>
#include <restorer.h>

enum { LAST_NUMBER = 64 };

static const struct {
    const char *name;
    int number;
} names[] = {
    { "HUP", SIGHUP },   { "QUIT", SIGQUIT }, { "TRAP", SIGTRAP },     { "USR1", SIGUSR1 },
    { "USR2", SIGUSR2 }, { "ALRM", SIGALRM }, { "VTALRM", SIGVTALRM }, { "PROF", SIGPROF },
    { "IO", SIGIO },     { "URG", SIGURG },   { "WINCH", SIGWINCH },   { "PWR", SIGPWR },
};

static int is_name(const char *value, const char *name)
{
    if (value[0] == 'S' && value[1] == 'I' && value[2] == 'G')
        value += 3;
    while (*value && *value == *name)
        value++, name++;
    return *value == *name;
}

/* Return the number of a signal that is named, with or without SIG, or given as a number; else 0. */
static int number_of(const char *value)
{
    int number = 0;
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (is_name(value, names[n].name))
            return names[n].number;
    for (; *value >= '0' && *value <= '9' && number <= LAST_NUMBER; value++)
        number = 10 * number + *value - '0';
    return *value || number > LAST_NUMBER || number == SIGKILL || number == SIGSTOP ? 0 : number;
}

static void toggle(int number)
{
    (void)number;
    inst_turn(!inst_recorder.pauses.off);
    inst_thread.limit = 0;
    if (INST_RECORDS)
        inst_segments_expect_fork();
}

void inst_catch_toggle(void)
{
    const char *value = inst_environment("INST_TOGGLE");
    if (!value || !*value)
        return;
    if (!inst_recorder.is_main)
        return inst_message("INST_TOGGLE is ignored: the program itself is not instrumented", "", 0);
    int number = number_of(value);
    if (!number)
        return inst_message("INST_TOGGLE is no signal, so it is ignored: ", value, 0);
    if (!&inst_format || !inst_format.gap)
        return inst_message("INST_TOGGLE is ignored: this hook library cannot pause", "", 0);
    unsigned long action[8] = { (uintptr_t)toggle, SA_RESTART | SA_ONSTACK | SA_SIGINFO };
    if (inst_change_action(number, action, 0, INST_RESTORER) < 0)
        return inst_message("INST_TOGGLE: the signal cannot be caught: ", value, 0);
    inst_recorder.signals.toggle = toggle;
    inst_recorder.signals.toggling = number;
}
