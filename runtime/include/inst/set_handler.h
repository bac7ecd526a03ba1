/* Code shared by the wrappers of functions that set a signal's handler. */
#ifndef INST_SET_HANDLER_H
#define INST_SET_HANDLER_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <inst/handlers.h>
#include <inst/wrap.h>

typedef void (*simple_handler)(int);

static inline simple_handler set_simple(simple_handler (*set)(int, simple_handler), int number,
                                        simple_handler handler)
{
    struct sigaction before;
    int error = errno;
    uint32_t mask[2];
    inst_handlers_begin(mask);
    if (!sigaction(number, NULL, &before))
        handler = (simple_handler)inst_hide_handler(number, (inst_handler)handler, 0,
                                                    (inst_handler)before.sa_handler);
    simple_handler old = set(number, handler);
    old = (simple_handler)inst_show_handler(number, (inst_handler)old);
    inst_handlers_end(mask);
    inst_error_since(error);
    return old;
}

#define SET_HANDLER(NAME)                                               \
    extern simple_handler __real_##NAME(int, simple_handler);           \
    simple_handler __wrap_##NAME(int number, simple_handler handler)    \
    {                                                                   \
        return set_simple(__real_##NAME, number, handler);              \
    }

#endif
