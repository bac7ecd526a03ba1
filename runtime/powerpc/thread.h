/* Where a thread's own memory lies: thread-local storage and the stack. */
#ifndef INST_THREAD_H
#define INST_THREAD_H

#include <stdint.h>

/* How far before the thread pointer thread-local storage of a program begins. */
enum { INST_STORAGE_BEFORE = 0x7000 };

/* Return the thread pointer for thread-local storage of a program. */
static inline uintptr_t inst_pointer_of_storage(uintptr_t start, unsigned long size)
{
    (void)size;
    return start + INST_STORAGE_BEFORE;
}

/* From the thread pointer, the C library's word that points at the thread's vector of modules. */
enum { INST_THREAD_WORD = -INST_STORAGE_BEFORE - (int)sizeof(uintptr_t) };

/* The linker checks the distance of what sites reach from the thread pointer. */
enum { INST_SEGMENTS_REACH = 0 };

/* Most bytes between a hook's frame and those of its slow path, which wider registers make larger. */
#ifdef __powerpc64__
enum { INST_STACK_SLACK = 1024 };
#else
enum { INST_STACK_SLACK = 64 * sizeof(long) };
#endif

#endif
