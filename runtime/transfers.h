/* What threads give to each other by system calls. */
#ifndef INST_TRANSFERS_H
#define INST_TRANSFERS_H

#include <inst/wrap.h>

#pragma GCC visibility push(hidden)

/* Before a call: what the thread did is told to who gets its data, or is woken; behind one: the
   thread is told. */
void inst_transfer_begins(const struct inst_call *call);
void inst_transfer_ended(const struct inst_call *call, long result);

#pragma GCC visibility pop

#endif
