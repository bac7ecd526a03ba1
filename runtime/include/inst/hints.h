/* The hints that wrappers of library functions give by themselves. */
#ifndef INST_HINTS_H
#define INST_HINTS_H

#include <stdint.h>

enum inst_hint { INST_HAPPENS_BEFORE, INST_HAPPENS_AFTER, INST_UNINITIALISED, INST_HINTS };

/* Their words, by these numbers. */
#define INST_HINT_WORDS { "happens_before", "happens_after", "uninitialised" }

#pragma GCC visibility push(hidden)

/* Give one of these, with the place of the program's call; and any hint, with a text as source. */
void inst_give_hint(enum inst_hint hint, uintptr_t at, uint64_t value, uintptr_t place);
void inst_annotate_hint(const char *kind, uintptr_t at, uint64_t value, const char *source);

#pragma GCC visibility pop

#endif
