/* sigaction: the kernel gets our handler, the program sees its own.  sa_handler and
   sa_sigaction are one place in every C library for Linux. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include <inst/handlers.h>
#include <inst/wrap.h>

extern int __real_sigaction(int, const struct sigaction *, struct sigaction *);

const char inst_sigaction_is_wrapped[] = "";
/* Defined by a link that instruments the C library (inst/wrap/linker.py). */
extern const char inst_c_library_is_instrumented[] __attribute__((weak, visibility("default")));

/* Report a handler that was changed: an instrumented C library reports that it reads it, in its
   sigaction or in the memcpy by which such structures are copied. */
static void tell_library(const struct sigaction *changed)
{
    if (inst_c_library_is_instrumented)
        inst_writes(&changed->sa_handler, sizeof changed->sa_handler);
}

static void change_action(int number, const struct sigaction *new, const struct sigaction *current,
                          struct sigaction *changed)
{
    *changed = *new;
    changed->sa_handler = (void (*)(int))inst_hide_handler(
        number, (inst_handler)new->sa_handler, !!(new->sa_flags & SA_SIGINFO),
        (inst_handler)current->sa_handler);
}

int __wrap_sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    struct sigaction wanted, changed, before;
    int error = errno;
    uint32_t mask[2];
    /* Memory that the program's pointers lead to is accessed while nothing is locked. */
    if (new) {
        wanted = *new;
        inst_reads(new, sizeof *new);
    }
    inst_handlers_begin(mask);
    int result = __real_sigaction(number, NULL, &before);
    if (!result && new) {
        change_action(number, &wanted, &before, &changed);
        tell_library(&changed);
        result = __real_sigaction(number, &changed, NULL);
    }
    if (!result) {
        before.sa_handler = (void (*)(int))inst_show_handler(number,
                                                             (inst_handler)before.sa_handler);
        tell_library(&before);
    }
    inst_handlers_end(mask);
    inst_error_since(error);
    if (!result && old) {
        *old = before;
        inst_writes(old, sizeof *old);
    }
    return result;
}
