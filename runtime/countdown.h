/* The step of the software instruction counter, and signals in the middle of it.

   A handler that runs between the load and the store counts too, and the store would undo its
   counts.  So the step is at a known place, with the number in a known register: the handler's
   counts are subtracted from that register. */
#ifndef INST_COUNTDOWN_H
#define INST_COUNTDOWN_H

#include "context.h"
#include "process.h"

#include <count_step.h>

#define INST_LABEL(NAME) ".globl " NAME "\n\t.hidden " NAME "\n" NAME ":"

/* Where the number is in the register and not yet stored, in either of the two steps. */
extern const char inst_count_loaded[] __attribute__((visibility("hidden")));
extern const char inst_count_stored[] __attribute__((visibility("hidden")));
extern const char inst_down_loaded[] __attribute__((visibility("hidden")));
extern const char inst_down_stored[] __attribute__((visibility("hidden")));

/* Count down by one and return the number; there is one step of each name in a library. */
#define INST_COUNT(LEFT, NAME)                                                          \
    ({                                                                                  \
        register int32_t number_ __asm__(INST_COUNT_REGISTER);                          \
        __asm__ __volatile__(INST_COUNT_STEP(INST_LABEL("inst_" #NAME "_loaded"),       \
                                             INST_LABEL("inst_" #NAME "_stored"))       \
                             : "=&r"(number_), "+m"(*(LEFT)));                          \
        number_;                                                                        \
    })

/* Return whether a signal came between the load and the store, in any module. */
static inline int inst_in_count_step(const uintptr_t *registers)
{
    uintptr_t pc = registers[INST_PC];
    for (const struct inst_module *one = inst_recorder.modules; one; one = one->next)
        for (int n = 0; n < 2; n++)
            if (pc - one->steps[n].loaded < one->steps[n].stored - one->steps[n].loaded)
                return 1;
    return 0;
}

#endif
