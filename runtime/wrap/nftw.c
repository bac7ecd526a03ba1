/* ftw and nftw: the program's function is passed what lies in the C library's memory. */
#include <inst/wrap.h>
#include <ftw.h>
#include <sys/stat.h>

/* The program's functions of the call that this thread is in: they take no extra argument. */
static __thread __ftw_func_t visit;
static __thread __nftw_func_t visit_more;

extern int __real_ftw(const char *, __ftw_func_t, int);
extern int __real_nftw(const char *, __nftw_func_t, int, int);

static int each(const char *path, const struct stat *state, int kind)
{
    inst_writes(path, STRING(path));
    inst_writes(state, sizeof *state);
    return visit(path, state, kind);
}

static int each_more(const char *path, const struct stat *state, int kind, struct FTW *place)
{
    inst_writes(path, STRING(path));
    inst_writes(state, sizeof *state);
    inst_writes(place, sizeof *place);
    return visit_more(path, state, kind, place);
}

int __wrap_ftw(const char *path, __ftw_func_t wanted, int files)
{
    __ftw_func_t outer = visit;
    int before = errno;
    inst_reads(path, STRING(path));
    visit = wanted;
    int result = __real_ftw(path, each, files);
    visit = outer;
    inst_error_since(before);
    return result;
}

int __wrap_nftw(const char *path, __nftw_func_t wanted, int files, int flags)
{
    __nftw_func_t outer = visit_more;
    int before = errno;
    inst_reads(path, STRING(path));
    visit_more = wanted;
    int result = __real_nftw(path, each_more, files, flags);
    visit_more = outer;
    inst_error_since(before);
    return result;
}
