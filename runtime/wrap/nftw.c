/* ftw and nftw: the program's function is passed what lies in the C library's memory. */
#include <inst/wrap.h>
#include <ftw.h>
#include <sys/stat.h>

/* The program's functions of the call that this thread is in: they take no extra argument. */
static __thread __ftw_func_t visit;
static __thread __ftw64_func_t visit64;
static __thread __nftw_func_t visit_more;
static __thread __nftw64_func_t visit_more64;

static void visited(const char *path, const void *state, size_t size)
{
    inst_writes(path, STRING(path));
    inst_writes(state, size);
}

static int each(const char *path, const struct stat *state, int kind)
{
    visited(path, state, sizeof *state);
    return visit(path, state, kind);
}

static int each64(const char *path, const struct stat64 *state, int kind)
{
    visited(path, state, sizeof *state);
    return visit64(path, state, kind);
}

static int each_more(const char *path, const struct stat *state, int kind, struct FTW *place)
{
    visited(path, state, sizeof *state);
    inst_writes(place, sizeof *place);
    return visit_more(path, state, kind, place);
}

static int each_more64(const char *path, const struct stat64 *state, int kind, struct FTW *place)
{
    visited(path, state, sizeof *state);
    inst_writes(place, sizeof *place);
    return visit_more64(path, state, kind, place);
}

#define WALK(NAME, FUNCTION, VISIT, EACH, MORE)                                            \
    extern int __real_##NAME(const char *, FUNCTION, int MORE(, int));                      \
    int __wrap_##NAME(const char *path, FUNCTION wanted, int files MORE(, int flags))       \
    {                                                                                       \
        FUNCTION outer = VISIT;                                                             \
        int before = errno;                                                                 \
        inst_reads(path, STRING(path));                                                     \
        VISIT = wanted;                                                                     \
        int result = __real_##NAME(path, EACH, files MORE(, flags));                        \
        VISIT = outer;                                                                      \
        inst_error_since(before);                                                           \
        return result;                                                                      \
    }
#define WITH_FLAGS(...) __VA_ARGS__
#define WITHOUT_FLAGS(...)

WALK(ftw, __ftw_func_t, visit, each, WITHOUT_FLAGS)
WALK(ftw64, __ftw64_func_t, visit64, each64, WITHOUT_FLAGS)
WALK(nftw, __nftw_func_t, visit_more, each_more, WITH_FLAGS)
WALK(nftw64, __nftw64_func_t, visit_more64, each_more64, WITH_FLAGS)
