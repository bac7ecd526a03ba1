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

/* Return the same for the image that the trace's start names. */
uintptr_t inst_recorded_base(void)
{
    return inst_recorder.base;
}

inst_address inst_getbase(void)
{
    return inst_image_base();
}

/* Return whether this is the program itself, not a shared object. */
int inst_main_image(void)
{
#ifdef __PIE__
    return 1;
#endif
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

/* Return the path in a line of /proc/self/maps if what it describes begins at an address; else 0. */
static const char *path_in(const char *line, uintptr_t base)
{
    char wanted[20];
    char *end = inst_hexadecimal(wanted, wanted + 16, base);
    *end++ = '-';
    while (*line == '0')
        line++;
    if (inst_differ(line, wanted, end - wanted))
        return 0;
    while (*line && *line != '/')
        line++;
    return *line ? line : 0;
}

/* Return the path of the file that is mapped at an address; "" if none.  Room is for a line. */
static const char *mapped_path(uintptr_t base, char *room, unsigned size)
{
    enum { PIECE = 512, DIGITS = 20 };
    char piece[PIECE];
    unsigned used = 0;
    long fd = inst_syscall(__NR_open, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    const char *found = 0;
    long got = fd < 0 ? 0 : 1;
    while (!found && got > 0) {
        got = inst_syscall(__NR_read, fd, (long)piece, PIECE, 0, 0, 0);
        for (long n = 0; n < got && !found; n++) {
            if (piece[n] != '\n' && used + DIGITS < size)
                room[used++] = piece[n];
            if (piece[n] != '\n')
                continue;
            for (unsigned end = used; end < used + DIGITS; end++)
                room[end] = 0;
            used = 0;
            found = path_in(room, base);
        }
    }
    if (fd >= 0)
        inst_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    return found ? found : "";
}

const char *inst_path_of(uintptr_t base, int is_main, char *room, unsigned size)
{
    if (!is_main)
        return mapped_path(base, room, size);
    long length = inst_syscall(__NR_readlinkat, FIXED_FOLDER, (long)"/proc/self/exe", (long)room,
                               size - 1, 0, 0);
    room[length < 0 ? 0 : length] = 0;
    return room;
}

/* Return the path of the image whose module has the recorder. */
const char *inst_image_path(char *room, unsigned size)
{
    return inst_path_of(inst_recorder.base, inst_recorder.is_main, room, size);
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

/* Where libgomp has what each part of it uses. */
void omp_display_env(int) __attribute__((weak));

/* Wrappers of libgomp report how it orders threads (wrap/openmp.c), but for a function that the program
   calls: inst/rewrite/wrapping.py. */
extern const char inst_sees_openmp __attribute__((weak, visibility("hidden")));
extern const char unseen_openmp[] __asm__("inst.openmp.unseen")
    __attribute__((weak, visibility("hidden")));

/* What the C library calls is the program's own: inst/rewrite/wrapping.py. */
extern const char own_functions[] __asm__("inst.own.functions")
    __attribute__((weak, visibility("hidden")));
extern const char own_library[] __asm__("inst.own.library")
    __attribute__((weak, visibility("hidden")));

/* Some functions of the program are left out: inst/rewrite/selection.py. */
extern const char left_out[] __asm__("inst.left.out") __attribute__((weak, visibility("hidden")));

uint32_t inst_own_facts(void)
{
    return (__gxx_personality_v0 ? INST_HAS_CXX : 0) | (_gfortran_set_args ? INST_HAS_FORTRAN : 0)
           | (__gnat_runtime_initialize ? INST_HAS_ADA : 0)
           | (omp_display_env ? INST_HAS_OPENMP : 0)
           | (&inst_sees_openmp ? INST_SEES_OPENMP : 0)
           | (own_functions && !own_library ? INST_HAS_OWN_FUNCTIONS : 0)
           | (left_out ? INST_HAS_LEFT_OUT : 0)
           | (inst_has_unreported_sites() ? INST_HAS_UNREPORTED : 0);
}

const char *inst_own_unseen(void)
{
    return unseen_openmp;
}

/* Write the names of libraries that write memory of the program unseen; return their end. */
static char *put_libraries(char *at, char *end)
{
    char *start = at;
    static const struct {
        uint32_t fact;
        char name[20];
    } names[] = { { INST_HAS_CXX, "libstdc++" },  { INST_HAS_FORTRAN, "libgfortran" },
                  { INST_HAS_ADA, "libgnat" },    { INST_HAS_OPENMP, "libgomp" },
                  { INST_HAS_OWN_FUNCTIONS, "libc" },
                  { INST_HAS_LEFT_OUT, "left-out-functions" } };
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (inst_recorder.facts & names[n].fact) {
            if (at > start)
                *at++ = ' ';
            at = inst_text(at, end, names[n].name);
        }
    *at = 0;
    return at;
}

/* Write which process forked this one, which thread of it, and the number of that event. */
static char *put_fork(char *at, char *end)
{
    at = inst_decimal(at, end, inst_process.parent);
    *at++ = ' ';
    at = inst_decimal(at, end, inst_process.parent_thread);
    *at++ = ' ';
    at = inst_decimal(at, end, inst_process.fork_number);
    *at++ = 0;
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
    if (inst_process.forked && inst_process.fork_number) {
        strings[n++] = (struct inst_string){ "forked", at };
        at = put_fork(at, end - 1);
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
    if (inst_recorder.unseen)
        strings[n++] = (struct inst_string){ "openmp", inst_recorder.unseen };
    else if (inst_recorder.facts & INST_SEES_OPENMP)
        strings[n++] = (struct inst_string){ "openmp", "ordered" };
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

/* Add a number, unless it is 0; return how many strings there are then. */
static int add_number(struct inst_string *strings, int count, const char *name, uint32_t number,
                      char room[INST_NUMBER])
{
    if (!number)
        return count;
    *inst_decimal(room, room + INST_NUMBER - 1, number) = 0;
    strings[count] = (struct inst_string){ name, room };
    return count + 1;
}

int inst_describe_end(struct inst_string *strings, char room[INST_LAST_STRINGS][INST_NUMBER])
{
    const char *unreported = inst_last_unreported(room[0]);
    int count = unreported != 0;
    if (unreported)
        strings[0] = (struct inst_string){ "unreported", unreported };
    count = add_number(strings, count, "running-threads", inst_process.running, room[1]);
    return add_number(strings, count, "cut-threads", inst_process.cut, room[2]);
}
