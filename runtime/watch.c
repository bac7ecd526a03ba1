/* INST_WATCH=RANGE[,RANGE...]: which addresses are recorded; without it, all.

   A range is a symbol of the program (as long as the symbol is), START+SIZE or START-END, where
   START is a symbol or a number.  While something is watched no thread has a limit below which
   events may begin, so each event takes the slow path and checks here: other runs pay nothing.  */
#include "process.h"
#include "segments.h"
#include "width.h"

#include <asm/errno.h>
#include <asm/fcntl.h>
#include <linux/mman.h>

enum { UNREAD, EVERYTHING, RANGES };
enum { MOST = 16, LONGEST = 128 };
#define watch inst_recorder.watch

static const inst_elf_symbol *find_in(const unsigned char *image, unsigned long size,
                                       const inst_elf_section *table,
                                       const inst_elf_section *names, const char *name)
{
    if (table->sh_offset + table->sh_size > size || names->sh_offset + names->sh_size > size)
        return 0;
    const inst_elf_symbol *symbols = (const inst_elf_symbol *)(image + table->sh_offset);
    for (unsigned n = 0; n < table->sh_size / sizeof *symbols; n++) {
        const char *a = (const char *)image + names->sh_offset + symbols[n].st_name, *b = name;
        if (symbols[n].st_name >= names->sh_size || symbols[n].st_shndx == SHN_UNDEF)
            continue;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return &symbols[n];
    }
    return 0;
}

/* Find a symbol in the mapped file of an image; return 0 if it has none of that name. */
static int find_symbol(const unsigned char *image, unsigned long size, uintptr_t base,
                       const char *name, uintptr_t *start, uintptr_t *length)
{
    const inst_elf_header *header = (const inst_elf_header *)image;
    const inst_elf_section *sections = (const inst_elf_section *)(image + header->e_shoff);
    if (header->e_shoff + header->e_shnum * sizeof *sections > size)
        return 0;
    for (unsigned n = 0; n < header->e_shnum; n++) {
        unsigned type = sections[n].sh_type, names = sections[n].sh_link;
        if ((type != SHT_SYMTAB && type != SHT_DYNSYM) || names >= header->e_shnum)
            continue;
        const inst_elf_symbol *found =
            find_in(image, size, &sections[n], &sections[names], name);
        if (found) {
            *start = found->st_value + (header->e_type == ET_DYN ? base : 0);
            *length = found->st_size;
            return 1;
        }
    }
    return 0;
}

/* Search a module's file on disk: symbols are not in memory. */
static int look_into(uintptr_t base, const char *name, uintptr_t *start, uintptr_t *length)
{
    char path[NAME];
    inst_file_status status;
    long fd = inst_syscall(__NR_open, (long)inst_path_of(base, inst_recorder.is_main && base == inst_recorder.base,
                                                    path, sizeof path),
                           O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return 0;
    int found = 0;
    if (!inst_fstat(fd, &status)) {
        unsigned long size = status.st_size;
        long at = inst_mmap(0, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if ((unsigned long)at <= -4096ul) {
            found = find_symbol((const unsigned char *)at, size, base, name, start, length);
            inst_syscall(__NR_munmap, at, size, 0, 0, 0, 0);
        }
    }
    inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    return found;
}

static int look_up(const char *name, uintptr_t *start, uintptr_t *length)
{
    if (look_into(inst_recorder.base, name, start, length))
        return 1;
    for (const struct inst_module *one = inst_recorder.modules; one; one = one->next)
        if (one->base != inst_recorder.base && look_into(one->base, name, start, length))
            return 1;
    return 0;
}

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    letter |= 32;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 99;
}

/* Read a number, with 0x or decimal; return where it ends, or 0 if there is none. */
static const char *read_number(const char *at, uintptr_t *number)
{
    int base = 10;
    if (at[0] == '0' && (at[1] | 32) == 'x')
        base = 16, at += 2;
    if (digit_of(*at) >= base)
        return 0;
    for (*number = 0; digit_of(*at) < base; at++)
        *number = *number * base + digit_of(*at);
    return at;
}

/* Read one range; return where it ends, or 0 if it is wrong. */
static const char *read_range(const char *at, uintptr_t *start, uintptr_t *size)
{
    const char *rest = read_number(at, start);
    uintptr_t end;
    *size = 0;
    if (!rest) {
        char name[LONGEST];
        unsigned length = 0;
        for (rest = at; *rest && *rest != ',' && *rest != '+' && *rest != '-'; rest++)
            if (length < LONGEST - 1)
                name[length++] = *rest;
        name[length] = 0;
        if (!look_up(name, start, size))
            return 0;
    }
    if (*rest == '+') {
        rest = read_number(rest + 1, size);
    } else if (*rest == '-') {
        rest = read_number(rest + 1, &end);
        *size = rest && end > *start ? end - *start : 0;
    }
    return rest && *size && (!*rest || *rest == ',') ? rest : 0;
}

static void read_watch(void)
{
    const char *at = inst_environment("INST_WATCH");
    int state = at && *at && !INST_RECORDS ? RANGES : EVERYTHING;
    if (at && *at && INST_RECORDS)
        inst_message("INST_WATCH is ignored: a recording has all accesses", "", 0);
    while (state == RANGES && *at) {
        const char *rest = 0;
        if (watch.count < MOST)
            rest = read_range(at, &watch.ranges[watch.count].start,
                                &watch.ranges[watch.count].size);
        if (!rest) {
            inst_message("INST_WATCH: not a range or a symbol with a size, so all is traced: ", at, 0);
            state = EVERYTHING;
            break;
        }
        watch.count++;
        at = *rest ? rest + 1 : rest;
    }
    watch.state = state;
}

/* Read the variable once; called by slow paths only. */
static int current_state(void)
{
    uint32_t mask[2];
    if (watch.state == UNREAD) {
        inst_block_signals(mask);
        inst_lock_process();
        if (watch.state == UNREAD)
            read_watch();
        inst_unlock_process();
        inst_unblock_signals(mask);
    }
    return watch.state;
}

int inst_watching(void)
{
    return current_state() == RANGES;
}

int inst_wanted(inst_address address, unsigned size)
{
    if (inst_paused())
        return 0;
    if (watch.state == EVERYTHING || current_state() == EVERYTHING)
        return 1;
    for (unsigned n = 0; n < watch.count; n++)
        if (address - watch.ranges[n].start < watch.ranges[n].size
            || watch.ranges[n].start - address < size)
            return 1;
    return 0;
}
