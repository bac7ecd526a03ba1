/* glob: a list of strings in a structure. */
#include <inst/wrap.h>
#include <glob.h>

extern int __real_glob(const char *, int, int (*)(const char *, int), glob_t *);

int __wrap_glob(const char *pattern, int flags, int (*failed)(const char *, int), glob_t *to)
{
    int before = errno;
    inst_reads(pattern, STRING(pattern));
    int result = __real_glob(pattern, flags, failed, to);
    inst_error_since(before);
    inst_writes(to, sizeof *to);
    if (!result)
        inst_strings_written(to->gl_pathv + (flags & GLOB_DOOFFS ? to->gl_offs : 0));
    return result;
}
