/* Where a program begins.  A static one runs the resolvers of its indirect functions, and an
   instrumented C library its own start, before there is thread-local storage, where hooks and
   wrappers have their state.  Until the C library sets %g7 it leads to storage of ours.

   Linux enters a program with %g7 clear, unless a dynamic linker has run.  */
#ifdef __PIE__  /* shared objects do not begin */
#include "process.h"
#include "width.h"

enum { BELOW = 1 << 16, ABOVE = 1 << 10, TLS = 7 };

static char storage[BELOW + ABOVE] __attribute__((aligned(64)));
extern const inst_elf_header __ehdr_start __attribute__((weak));

/* Copy the initial image of thread-local storage, which ends at the thread pointer. Return where
   that is; 0: there is too much of it, or none. */
__attribute__((used)) uintptr_t inst_early_thread(void)
{
    const inst_elf_header *header = &__ehdr_start;
    if (!header)
        return 0;
    const inst_elf_segment *segments =
        (const inst_elf_segment *)((const char *)header + header->e_phoff);
    for (unsigned n = 0; n < header->e_phnum; n++) {
        const inst_elf_segment *one = &segments[n];
        if (one->p_type != TLS || !one->p_align || one->p_align > 64)
            continue;
        unsigned long size = (one->p_memsz + one->p_align - 1) & -one->p_align;
        const char *image = (const char *)one->p_vaddr;
        if (header->e_type == ET_DYN)
            image += (uintptr_t)header;
        if (size > BELOW)
            return 0;
        for (unsigned long at = 0; at < one->p_filesz; at++)
            storage[BELOW - size + at] = image[at];
        return (uintptr_t)storage + BELOW;
    }
    return 0;
}

__asm__(".section .text.inst,\"ax\"\n\t.align 4\n\t.globl inst.start\n"
        INST_GLOBALS
        "\t.hidden inst.start\n\t.type inst.start, #function\ninst.start:\n"
        "\torcc %g7, %g0, %g0\n"
#ifdef __arch64__
        "\tbne,pt %xcc, 1f\n\t nop\n"
#else
        "\tbne 1f\n\t nop\n"
#endif
        "\tsave %sp, -" INST_FRAME ", %sp\n"
        "\tcall inst_early_thread\n\t mov %g1, %l1\n"
        "\tmov %l1, %g1\n\tmov %o0, %g7\n\trestore\n"
        "1:\tmov %o7, %g2\n\tcall _start\n\t mov %g2, %o7\n"
        "\t.size inst.start, .-inst.start\n\t.weak _start\n\t.previous");
#endif
