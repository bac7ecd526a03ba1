/* execveat: whether the file can be executed is known when it is tried. */
#include <inst/wrap.h>
#include <errno.h>

#include <inst/handlers.h>

extern int __real_execveat(int, const char *, char *const *, char *const *, int);

int __wrap_execveat(int at, const char *path, char *const *words, char *const *variables,
                    int flags)
{
    inst_system_call(__NR_execveat);
    inst_reads(path, STRING(path));
    STRINGS(words);
    STRINGS(variables);
    int before = errno;
    inst_image_ends();
    errno = before;
    int result = __real_execveat(at, path, words, variables, flags);
    inst_image_continues();
    inst_error_since(before);
    inst_system_result(__NR_execveat, result, errno);
    return result;
}
