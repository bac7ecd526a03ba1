/* The order of threads by system calls. */
#ifndef INST_TRANSFERS_H
#define INST_TRANSFERS_H

#include <inst/wrap.h>

#pragma GCC visibility push(hidden)

/* Before a call: what the thread did comes before the receiver of its data, or the woken thread;
   after a call: the thread is the receiver. */
void inst_transfer_begins(const struct inst_call *call);
void inst_transfer_ended(const struct inst_call *call, long result);

#pragma GCC visibility pop

#endif
