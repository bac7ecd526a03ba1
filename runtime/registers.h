/* The program's registers as glue and the program's entry point have saved them: <isa>/registers.c. */
#ifndef INST_RUNTIME_REGISTERS_H
#define INST_RUNTIME_REGISTERS_H

#include "process.h"

#pragma GCC visibility push(hidden)

/* As runtime/<isa>/window.s.j2 and entry.h store them. */
struct inst_dump;

int inst_window_ended(void);
void inst_call_windowhook(const struct inst_registers *registers);

/* The registers at the program's start; none is valid if that was not seen. */
extern struct inst_registers inst_first_registers;

#pragma GCC visibility pop

#endif
