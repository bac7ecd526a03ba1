/* Where a program begins.  The C library of a static one calls functions of the program (memcpy,
   strlen, resolvers of indirect functions) before it has set up thread-local storage, where hooks
   and wrappers have their state.  Until then the thread pointer points at storage of ours.

   Linux enters a program with the thread pointer 0, unless a dynamic linker has run.  */
#include "process.h"
#include "width.h"

#include <entry.h>
#include <thread.h>

enum { PROGRAM_HEADERS = 3, HEADER_COUNT = 5, HARDWARE = 16, LOAD = 1, TLS = 7, PAGE = 4096 };
/* Space for C libraries' own data around the thread pointer, such as the stack protector's word. */
enum { AROUND = PAGE };

/* The thread pointer before the C library's, or 0. */
static uintptr_t early_pointer;

#pragma weak inst_find_vectors

#ifdef __PIE__  /* shared objects do not begin */

/* After the arguments and the environment lies the kernel's auxiliary vector. */
static uintptr_t auxiliary(const uintptr_t *stack, uintptr_t wanted)
{
    const uintptr_t *at = stack + 1 + stack[0] + 1;
    while (*at++)
        ;
    for (; at[0]; at += 2)
        if (at[0] == wanted)
            return at[1];
    return 0;
}

/* Return how far the program lies from where it was linked: its headers are in its first segment. */
static uintptr_t displacement(const inst_elf_segment *segments, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        if (segments[n].p_type == LOAD && segments[n].p_offset == 0)
            return (uintptr_t)segments - sizeof(inst_elf_header) - segments[n].p_vaddr;
    return 0;
}

/* Initialise thread-local storage from its image; return the thread pointer. */
static uintptr_t make_storage(const inst_elf_segment *image, uintptr_t moved)
{
    unsigned long align = image->p_align ? image->p_align : 1;
    unsigned long size = (image->p_memsz + align - 1) & -align;
    unsigned char *room = align > PAGE ? 0 : inst_map(AROUND + size + AROUND);
    if (!room)
        return 0;
    unsigned char *start = room + AROUND;
    uintptr_t pointer = inst_pointer_of_storage((uintptr_t)start, size);
    const unsigned char *from = (const unsigned char *)image->p_vaddr + moved;
    for (unsigned long n = 0; n < image->p_filesz; n++)
        start[n] = from[n];
    return pointer;
}

/* Called with the initial stack; return the thread pointer, or 0 if no thread-local storage is
   needed. */
__attribute__((used)) uintptr_t inst_early_thread(const uintptr_t *stack)
{
    inst_first_stack = stack;
    if (inst_find_vectors)
        inst_find_vectors(auxiliary(stack, HARDWARE));
    const inst_elf_segment *segments = (const void *)auxiliary(stack, PROGRAM_HEADERS);
    unsigned count = segments ? auxiliary(stack, HEADER_COUNT) : 0;
    for (unsigned n = 0; n < count; n++)
        if (segments[n].p_type == TLS)
            early_pointer = make_storage(&segments[n], displacement(segments, count));
    return early_pointer;
}

INST_ENTRY_POINT;

#endif

/* Return where a thread-local variable of the first thread was before the C library set the
   thread pointer; 0 if there was no such time, or this is another thread. */
void *inst_early(void *variable)
{
    uintptr_t now;
    __asm__ __volatile__(INST_THREAD_POINTER : "=r"(now));
    if (!early_pointer || now == early_pointer
        || inst_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0)
               != inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0))
        return 0;
    return (char *)variable - now + early_pointer;
}
