/* Between the wrappers of the C library's signal functions and the runtime. */
#ifndef INST_HANDLERS_H
#define INST_HANDLERS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef void (*inst_handler)(int, void *, void *);

/* Keep signals and other threads away while a handler is changed. */
void inst_handlers_begin(uint32_t *mask);
void inst_handlers_end(const uint32_t *mask);

/* Return what the kernel shall be told for a handler of the program, and what the program shall
   be told for a handler of the kernel's.  `current` is what the kernel has now; handlers with
   information were given with SA_SIGINFO. */
inst_handler inst_hide_handler(int number, inst_handler handler, int with_information,
                               inst_handler current);
inst_handler inst_show_handler(int number, inst_handler handler);

#pragma GCC visibility pop

#endif
