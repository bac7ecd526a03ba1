/* Between the wrappers of the C library's functions for signals and processes and the runtime. */
#ifndef INST_HANDLERS_H
#define INST_HANDLERS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef void (*inst_handler)(int, void *, void *);

/* Block signals and other threads, for example while a handler is changed. */
void inst_handlers_begin(uint32_t *mask);
void inst_handlers_end(const uint32_t *mask);

/* Return the kernel's handler for a handler of the program, and the program's for one of the
   kernel's.  `current` is the kernel's present one; handlers with information were set with
   SA_SIGINFO. */
inst_handler inst_hide_handler(int number, inst_handler handler, int with_information,
                               inst_handler current);
/* Defined where the program's sigaction is our wrapper. */
extern const char inst_sigaction_is_wrapped[];
inst_handler inst_show_handler(int number, inst_handler handler);

/* Call exithook: the process is about to end, or to become another program. */
void inst_process_ends(void);
void inst_image_ends(void);
void inst_image_continues(void);       /* the exec has failed */

/* vfork as wrappers need it; and calls before and after functions that fork without calling the
   C library's fork handlers: see runtime/fork.c. */
long inst_vfork(void);
void inst_expect_fork(void);
void inst_fork_returned(void);

#pragma GCC visibility pop

#endif
