/* What the start code of a C library does for a static PIE: relocations and thread variables. */
#include <link.h>
#include <stdint.h>

#if __SIZEOF_POINTER__ == 8
#define KIND(info) ELF64_R_TYPE(info)
typedef Elf64_Rela Relocation;
#else
#define KIND(info) ELF32_R_TYPE(info)
typedef Elf32_Rela Relocation;
#endif
#ifdef __sparc__
enum { RELATIVE = R_SPARC_RELATIVE };
#else
enum { RELATIVE = R_PPC_RELATIVE, BEYOND = 0x7000 }; /* R_PPC64_RELATIVE is the same number */
#endif

static char thread[4096] __attribute__((aligned(64)));

/* Add the load address to every word that asks for it; return whether nothing else is asked for. */
static int moved(uintptr_t base, const ElfW(Dyn) *dynamic)
{
    uintptr_t at = 0, size = 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_RELA)
            at = base + dynamic->d_un.d_ptr;
        if (dynamic->d_tag == DT_RELASZ)
            size = dynamic->d_un.d_val;
    }
    const Relocation *end = (const Relocation *)(at + size);
    for (const Relocation *one = (const Relocation *)at; one < end; one++) {
        if (KIND(one->r_info) == RELATIVE)
            *(uintptr_t *)(base + one->r_offset) = base + one->r_addend;
        else if (KIND(one->r_info) != 0)
            return 0;
    }
    return 1;
}

/* Return the thread pointer; 0 if the program cannot be made ready. */
char *made_ready(uintptr_t base, const ElfW(Dyn) *dynamic)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)base;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(base + header->e_phoff);
    if (!moved(base, dynamic))
        return 0;
    char *first = thread, *pointer = thread;
    for (int n = 0; n < header->e_phnum; n++) {
        if (segments[n].p_type != PT_TLS)
            continue;
        if (segments[n].p_memsz > sizeof thread / 2)
            return 0;
#ifdef __sparc__        /* thread variables lie below the thread pointer */
        pointer = thread + sizeof thread / 2;
        first = pointer - ((segments[n].p_memsz + segments[n].p_align - 1) & -segments[n].p_align);
#else
        pointer = thread + BEYOND;
#endif
        const volatile char *content = (const char *)(base + segments[n].p_vaddr);
        for (uintptr_t at = 0; at < segments[n].p_filesz; at++)
            first[at] = content[at];
    }
    return pointer;
}
