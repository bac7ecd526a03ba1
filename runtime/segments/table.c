/* What explains the segments, once in a file before their first chunk: the content of the section
   .debug_inst_record of the program's file, the program's code, and where it was linked.  What is executed
   again also needs the addresses in tables that the linker has made: loads of these are not recorded. */
#include "ring.h"
#include "segments.h"
#include "width.h"

#include <asm/errno.h>
#include <asm/fcntl.h>

enum { START = 16, ENTRY = 32, NAMES = 16, COMPRESSED = 0x800 };

static struct {
    int state;                  /* 0: not looked for; 1: found; -1: none */
    int compressed;
    uint64_t offset, size;      /* in the program's file */
} described;

static const char section[] = ".debug_inst_record";
static const char table_names[][6] = { ".got", ".got2", ".toc" };
enum { TABLES = sizeof table_names / sizeof *table_names };

/* Sections with such addresses, where they were linked. */
static struct {
    uint64_t address, size;
} tables[TABLES];

static long open_program(void)
{
    char path[NAME];
    return inst_syscall(__NR_open, (long)inst_image_path(path, sizeof path),
                        O_RDONLY | O_CLOEXEC | INST_OPEN_LARGE, 0, 0, 0, 0);
}

static int reads(long fd, void *to, unsigned long size, uint64_t offset)
{
    return inst_pread(fd, to, size, offset) == (long)size;
}

static int are_same(const char *name, const char *expected)
{
    while (*name && *name == *expected)
        name++, expected++;
    return *name == *expected;
}

/* Find the sections by the file's headers; those of more than 65,279 sections are elsewhere. */
static void find_sections(long fd)
{
    inst_elf_header header;
    inst_elf_section names, one;
    if (!reads(fd, &header, sizeof header, 0)
        || !reads(fd, &names, sizeof names,
                  header.e_shoff + header.e_shstrndx * sizeof names))
        return;
    for (unsigned n = 1; n < header.e_shnum; n++) {
        if (!reads(fd, &one, sizeof one, header.e_shoff + n * sizeof one))
            return;
        char name[sizeof section + 1] = { 0 };
        if (inst_pread(fd, name, sizeof section, names.sh_offset + one.sh_name) <= 0)
            continue;
        for (unsigned table = 0; INST_IS_LOOSE && one.sh_addr && table < TABLES; table++)
            if (are_same(name, table_names[table])) {
                tables[table].address = one.sh_addr;
                tables[table].size = one.sh_size;
            }
        if (!one.sh_size || !are_same(name, section))
            continue;
        described.compressed = !!(one.sh_flags & COMPRESSED);
        described.offset = one.sh_offset;
        described.size = one.sh_size;
        described.state = 1;
    }
}

int inst_segments_described(void)
{
    if (described.state)
        return described.state > 0;
    described.state = -1;
    long fd = inst_recorder.is_main && inst_recorder.base ? open_program() : -1;
    if (fd >= 0) {
        find_sections(fd);
        inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    }
    return described.state > 0;
}

/* What is being written: the place in the file, and the first error. */
struct writing {
    uint64_t at;
    int error;
    unsigned char *chunk, *next;    /* in a ring: the chunk, and the place there; 0: none yet */
};

/* Put bytes into the slots of a ring. */
static void put_into_slots(struct writing *writing, const unsigned char *from, unsigned long size)
{
    uint64_t offset;
    for (unsigned long n = 0; n < size && !writing->error; n++) {
        if (!writing->chunk || writing->next == writing->chunk + CHUNK) {
            inst_release(writing->chunk);
            writing->chunk = writing->next = inst_next_slot(&offset);
            writing->error = writing->chunk ? 0 : INST_NO_SLOT;
        }
        if (!writing->error)
            *writing->next++ = from[n];
    }
}

static void put(struct writing *writing, const void *from, unsigned long size)
{
    if (inst_process.ring)
        put_into_slots(writing, from, size);
    else if (!writing->error)
        writing->error = inst_write_at(writing->at, from, size);
    writing->at += size;
}

static void put_number(unsigned char *at, uint64_t number)
{
    for (int n = 8; n--; number >>= 8)
        at[n] = number;
}

static uint64_t padded(uint64_t size)
{
    return (size + 7) & -8ull;
}

/* Fill an entry up to a multiple of eight. */
static void put_padding(struct writing *writing, uint64_t size)
{
    static const unsigned char zeros[8];
    put(writing, zeros, padded(size) - size);
}

static void put_entry(struct writing *writing, const char *name, uint64_t address, uint64_t size)
{
    unsigned char entry[ENTRY] = { 0 };
    inst_text((char *)entry, (char *)entry + NAMES, name);
    put_number(entry + NAMES, address);
    put_number(entry + NAMES + 8, size);
    put(writing, entry, sizeof entry);
}

/* Copy the section from the program's file. */
static void put_section(struct writing *writing)
{
    unsigned char room[4096];
    long fd = open_program();
    put_entry(writing, described.compressed ? "segments.z" : "segments", 0, described.size);
    for (uint64_t done = 0; done < described.size && !writing->error;) {
        uint64_t left = described.size - done;
        unsigned long size = left < sizeof room ? left : sizeof room;
        if (!reads(fd, room, size, described.offset + done))
            writing->error = EIO;
        put(writing, room, size);
        done += size;
    }
    put_padding(writing, described.size);
    if (fd >= 0)
        inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
}

/* The segments of the program in memory, and how far they lie from where they were linked. */
static struct loaded {
    const inst_elf_segment *first;
    unsigned count;
    uintptr_t link;             /* address of the first byte where the program was linked */
} loaded(void)
{
    const unsigned char *base = (const unsigned char *)inst_recorder.base;
    const inst_elf_header *header = (const inst_elf_header *)base;
    struct loaded found = { (const void *)(base + header->e_phoff), header->e_phnum, 0 };
    for (unsigned n = 0; n < found.count; n++)
        if (found.first[n].p_type == PT_LOAD && !found.first[n].p_offset)
            found.link = found.first[n].p_vaddr;
    return found;
}

static int is_code(const inst_elf_segment *one)
{
    return one->p_type == PT_LOAD && one->p_flags & PF_X;
}

/* The table of the program's own glue (struct entry in signal.c), which re-execution passes over. */
struct glue {
    const unsigned char *first;
    unsigned long size;
};

static struct glue glue(void)
{
    for (const struct inst_module *one = inst_recorder.modules; one; one = one->next)
        if (one->base == inst_recorder.base)
            return (struct glue){ one->entries, (uintptr_t)one->entries_end - (uintptr_t)one->entries };
    return (struct glue){ 0, 0 };
}

static uint64_t size_of_table(const struct loaded *program)
{
    uint64_t size = ENTRY + padded(described.size) + ENTRY + ENTRY + padded(glue().size);
    for (unsigned n = 0; n < TABLES; n++)
        size += tables[n].size ? ENTRY + padded(tables[n].size) : 0;
    for (unsigned n = 0; n < program->count; n++)
        if (is_code(&program->first[n]))
            size += ENTRY + padded(program->first[n].p_filesz);
    return size;
}

static const void *in_memory(const struct loaded *program, uint64_t address)
{
    return (const unsigned char *)inst_recorder.base + (address - program->link);
}

static void put_table(struct writing *writing, const struct loaded *program, uint64_t size)
{
    unsigned char start[START] = "INST-TAB";
    put_number(start + 8, size);
    put(writing, start, sizeof start);
    put_section(writing);
    for (unsigned n = 0; n < program->count; n++) {
        const inst_elf_segment *one = &program->first[n];
        if (!is_code(one))
            continue;
        put_entry(writing, "code", one->p_vaddr, one->p_filesz);
        put(writing, in_memory(program, one->p_vaddr), one->p_filesz);
        put_padding(writing, one->p_filesz);
    }
    for (unsigned n = 0; n < TABLES; n++) {
        if (!tables[n].size)
            continue;
        put_entry(writing, "addresses", tables[n].address, tables[n].size);
        put(writing, in_memory(program, tables[n].address), tables[n].size);
        put_padding(writing, tables[n].size);
    }
    struct glue own = glue();
    put_entry(writing, "glue", (uintptr_t)own.first - inst_recorder.base + program->link, own.size);
    put(writing, own.first, own.size);
    put_padding(writing, own.size);
    put_entry(writing, "image", program->link, 0);
}

/* Write the table to chunks of its own; return whether the file has it. */
int inst_write_table(void)
{
    struct inst_process_state *process = &inst_process;
    if (process->table)
        return process->table > 0;
    process->table = -1;
    if (!inst_segments_described()) {
        char path[NAME];
        inst_message("accesses are not recorded, because there is no section .debug_inst_record "
                     "(was it stripped?) in ", inst_image_path(path, sizeof path), 0);
        return 0;
    }
    struct loaded program = loaded();
    uint64_t size = size_of_table(&program);
    struct writing writing = { process->next_offset, process->ring ? 0 : inst_look_at_output(),
                               0, 0 };
    inst_begin_tables(1);
    while (!process->ring && !writing.error && process->next_offset < writing.at + START + size) {
        writing.error = inst_reserve(process->next_offset);
        process->next_offset += writing.error ? 0 : CHUNK;
    }
    put_table(&writing, &program, size);
    inst_release(writing.chunk);
    inst_begin_tables(0);
    if (writing.error) {
        if (process->mode == MAPPED)
            inst_stop("cannot write more of the trace to ", writing.error);
        return 0;
    }
    process->table = 1;
    return 1;
}
