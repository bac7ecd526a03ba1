/* Where a thread's own memory lies: thread-local storage and the stack. */
#ifndef INST_THREAD_H
#define INST_THREAD_H

#include <stdint.h>

/* Return the thread pointer for thread-local storage of a program, which ends at it. */
static inline uintptr_t inst_pointer_of_storage(uintptr_t start, unsigned long size)
{
    return start + size;
}

/* From the thread pointer, the C library's word that points at the thread's own descriptor. */
enum { INST_THREAD_WORD = 0 };

/* Sites have 13 bits for the distance to the thread pointer, of which the linker checks none. */
enum { INST_SEGMENTS_REACH = 1024 };

/* Most bytes between a hook's frame and those of its slow path, which wider registers make larger. */
enum { INST_STACK_SLACK = 64 * sizeof(long) };

#endif
