/* Mappings that system calls change. */
#ifndef INST_MAPPINGS_H
#define INST_MAPPINGS_H

#pragma GCC visibility push(hidden)
/* Report what a call that did not fail has changed of the mappings that others may write. */
void inst_mapping_changed(const struct inst_call *call, long result);
#pragma GCC visibility pop

#endif
