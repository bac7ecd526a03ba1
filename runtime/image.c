/* A trace's information about the program it comes from. */
#include "process.h"
#include "width.h"

#include <asm/fcntl.h>

extern const unsigned char __ehdr_start[] __attribute__((weak));
extern const char inst_hooks[] __attribute__((visibility("hidden"))); /* the library's name */

enum { AUXILIARY_HEADERS = 3, FIXED_FOLDER = -100 };

/* Return where the image's first byte lies. */
uintptr_t inst_image_base(void)
{
    return (uintptr_t)__ehdr_start;
}

inst_address inst_getbase(void)
{
    return inst_image_base();
}

/* Return whether this is the program itself, not a shared object. */
int inst_main_image(void)
{
    struct {
        uintptr_t type, value;
    } entries[64];
    long size = inst_read_file("/proc/self/auxv", (char *)entries, sizeof entries);
    for (long n = 0; n < size / (long)sizeof entries[0]; n++)
        if (entries[n].type == AUXILIARY_HEADERS && __ehdr_start) {
            const inst_elf_header *header = (const inst_elf_header *)__ehdr_start;
            return entries[n].value == (uintptr_t)__ehdr_start + header->e_phoff;
        }
    return 1;
}

/* Return where a line of /proc/self/maps that begins at our base names its file; "" if none. */
static const char *mapped_path(char *room, unsigned size)
{
    char wanted[20];
    char *end = inst_hexadecimal(wanted, wanted + 16, (uintptr_t)__ehdr_start);
    *end++ = '-';
    long length = inst_read_file("/proc/self/maps", room, size - 1);
    room[length < 0 ? 0 : length] = 0;
    for (char *line = room; *line;) {
        char *next = line, *path = 0;
        while (*next && *next != '\n') {
            if (*next == '/' && !path)
                path = next;
            next++;
        }
        unsigned same = 0;
        while (*line == '0')
            line++;
        while (wanted + same < end && line[same] == wanted[same])
            same++;
        int here = wanted + same == end && path;
        line = *next ? next + 1 : next;
        *next = 0;
        if (here)
            return path;
    }
    return "";
}

const char *inst_image_path(char *room, unsigned size)
{
    if (!inst_main_image())
        return mapped_path(room, size);
    long length = inst_syscall(__NR_readlinkat, FIXED_FOLDER, (long)"/proc/self/exe", (long)room,
                               size - 1, 0, 0);
    room[length < 0 ? 0 : length] = 0;
    return room;
}

uint64_t inst_time(void)
{
    long now[2] = { 0, 0 };
    inst_syscall(__NR_clock_gettime, 0, (long)now, 0, 0, 0, 0);
    return (uint32_t)now[0];
}

static char *put_digits(char *at, unsigned number, unsigned width)
{
    for (unsigned n = width; n--; number /= 10)
        at[n] = '0' + number % 10;
    return at + width;
}

static unsigned days_of_year(unsigned year)
{
    return year % 4 || (year % 100 == 0 && year % 400) ? 365 : 366;
}

static unsigned days_of_month(unsigned month, unsigned year)
{
    if (month == 2)
        return days_of_year(year) - 337;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* Write the time in UTC; return its end. */
static char *put_date(char *at, uint32_t seconds)
{
    unsigned days = seconds / 86400, rest = seconds % 86400, year = 1970, month = 1;
    for (; days >= days_of_year(year); year++)
        days -= days_of_year(year);
    for (; days >= days_of_month(month, year); month++)
        days -= days_of_month(month, year);
    const struct {
        unsigned number, width;
        char end;
    } parts[] = { { year, 4, '-' },      { month, 2, '-' },          { days + 1, 2, 'T' },
                  { rest / 3600, 2, ':' }, { rest / 60 % 60, 2, ':' }, { rest % 60, 2, 'Z' } };
    for (unsigned n = 0; n < sizeof parts / sizeof *parts; n++) {
        at = put_digits(at, parts[n].number, parts[n].width);
        *at++ = parts[n].end;
    }
    *at++ = 0;
    return at;
}

#include <architecture.h>

#ifdef __clang__
#define INST_COMPILER __VERSION__
#else
#define INST_COMPILER "gcc " __VERSION__
#endif

/* A function that only each language's run-time library defines. */
void __gxx_personality_v0(void) __attribute__((weak));
void _gfortran_set_args(int, char **) __attribute__((weak));
void __gnat_runtime_initialize(int) __attribute__((weak));

/* What the C library calls is the program's own: inst/rewrite/wrapping.py. */
extern const char own_functions[] __asm__("inst.own.functions")
    __attribute__((weak, visibility("hidden")));
extern const char own_library[] __asm__("inst.own.library")
    __attribute__((weak, visibility("hidden")));

/* Some functions of the program are left out: inst/rewrite/selection.py. */
extern const char left_out[] __asm__("inst.left.out") __attribute__((weak, visibility("hidden")));

/* Write the names of libraries that write memory of the program unseen; return their end. */
static char *put_libraries(char *at, char *end)
{
    char *start = at;
    const char *names[] = { __gxx_personality_v0 ? "libstdc++" : 0,
                            _gfortran_set_args ? "libgfortran" : 0,
                            __gnat_runtime_initialize ? "libgnat" : 0,
                            own_functions && !own_library ? "libc" : 0,
                            left_out ? "left-out-functions" : 0 };
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (names[n]) {
            if (at > start)
                *at++ = ' ';
            at = inst_text(at, end, names[n]);
        }
    *at = 0;
    return at;
}

/* Gather the strings a trace begins with; return how many.  Translator, runtime and library have
   a version each, though what is built together has one. */
int inst_describe(struct inst_string *strings, char *room, unsigned size)
{
    struct {
        char of[6][65];
    } system;
    char *at = room, *end = room + size;
    int n = 0;
    strings[n++] = (struct inst_string){ "arch", INST_ARCHITECTURE };
    strings[n++] = (struct inst_string){ "translator", INST_VERSION };
    strings[n++] = (struct inst_string){ "runtime", INST_VERSION };
    strings[n++] = (struct inst_string){ "hooks", inst_hooks };
    strings[n++] = (struct inst_string){ "hooks-version", INST_VERSION };
    strings[n++] = (struct inst_string){ "compiler", INST_COMPILER };
    inst_syscall(__NR_uname, (long)&system, 0, 0, 0, 0, 0);
    strings[n++] = (struct inst_string){ "host", at };
    at = inst_text(at, end - 1, system.of[1]);
    *at++ = 0;
    strings[n++] = (struct inst_string){ "date", at };
    at = put_date(at, (uint32_t)inst_time());
    if (inst_run(at, INST_RUN)) {
        strings[n++] = (struct inst_string){ "run", at };
        at += INST_RUN;
    }
    strings[n++] = (struct inst_string){ "recorders", at };
    at = inst_decimal(at, end, inst_process.recorders);
    *at++ = 0;
    strings[n++] = (struct inst_string){ "ending", inst_first_ending() };
    const char *unreported = inst_first_unreported(at);
    if (unreported) {
        strings[n++] = (struct inst_string){ "unreported", unreported };
        at += INST_UNREPORTED;
    }
    char *libraries = at;
    at = put_libraries(at, end - 1);
    if (at > libraries) {
        strings[n++] = (struct inst_string){ "uninstrumented", libraries };
        at++;
    }
    long length = inst_read_file("/proc/self/cmdline", at, (end - at) / 2);
    strings[n++] = (struct inst_string){ "command", at };
    for (long one = 0; one + 1 < length; one++)
        if (!at[one])
            at[one] = ' ';
    at += length > 0 ? length : 0;
    *at++ = 0;
    strings[n++] = (struct inst_string){ "image", inst_image_path(at, end - at) };
    return n;
}
