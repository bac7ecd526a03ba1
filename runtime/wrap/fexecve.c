/* fexecve: whether the file can be executed is known when it is tried. */
#include "words.h"
#include <unistd.h>

extern int __real_fexecve(int, char *const *, char *const *);

int __wrap_fexecve(int file, char *const *words, char *const *variables)
{
    inst_system_call(__NR_execveat);
    STRINGS(words);
    STRINGS(variables);
    return REPLACE_IMAGE(__NR_execveat, 1, __real_fexecve(file, words, variables));
}
