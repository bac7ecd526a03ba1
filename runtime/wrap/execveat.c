/* execveat: whether the file can be executed is known when it is tried. */
#include "words.h"

extern int __real_execveat(int, const char *, char *const *, char *const *, int);

int __wrap_execveat(int at, const char *path, char *const *words, char *const *variables,
                    int flags)
{
    inst_system_call(__NR_execveat);
    inst_reads(path, STRING(path));
    STRINGS(words);
    STRINGS(variables);
    return REPLACE_IMAGE(__NR_execveat, 1, __real_execveat(at, path, words, variables, flags));
}
