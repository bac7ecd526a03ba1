/* Instructions that do something to memory without an access: barriers, and what changes
   translations. */
#ifndef INST_SYSTEM_EVENTS_H
#define INST_SYSTEM_EVENTS_H

#include <inst/runtime.h>

#pragma GCC visibility push(hidden)

/* As `inst.isa.model.SystemEvent` counts them. */
enum inst_event { BARRIER = 1, TLBI, SYSREG };

/* Call the hook for an instruction at `pc`, if the library has it.  `word` is the kind, the operation or
   the register's name, and stays where it is; `operands` is 0 for a tlbi without an operand. */
void inst_report_event(enum inst_event event, const char *word, int operands, uint64_t value,
                       inst_address pc);

#pragma GCC visibility pop

#endif
