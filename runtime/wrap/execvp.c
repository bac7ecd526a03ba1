/* execvp and its kin: the path is looked for, with one call for each place; one is told. */
#include "words.h"
#include <alloca.h>
#include <errno.h>
#include <unistd.h>

extern int __real_execvpe(const char *, char *const *, char *const *);

int __wrap_execvpe(const char *name, char *const *words, char *const *variables)
{
    inst_system_call(__NR_execve);
    inst_reads(name, STRING(name));
    STRINGS(words);
    STRINGS(variables);
    int before = errno;
    int result = __real_execvpe(name, words, variables);
    inst_error_since(before);
    return result;
}

int __wrap_execvp(const char *name, char *const *words)
{
    return __wrap_execvpe(name, words, inst_environ());
}

int __wrap_execlp(const char *name, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    char **words = alloca(room_for(first, list));
    gather(words, first, list);
    va_end(list);
    return __wrap_execvpe(name, words, inst_environ());
}
