/* fexecve: whether the file can be executed is known when it is tried. */
#include "words.h"
#include <errno.h>
#include <unistd.h>

#include <inst/handlers.h>

extern int __real_fexecve(int, char *const *, char *const *);

int __wrap_fexecve(int file, char *const *words, char *const *variables)
{
    inst_system_call(__NR_execveat);
    STRINGS(words);
    STRINGS(variables);
    int before = errno;
    inst_image_ends();
    errno = before;
    int result = __real_fexecve(file, words, variables);
    inst_image_continues();
    inst_error_since(before);
    inst_system_result(__NR_execveat, result, errno);
    return result;
}
