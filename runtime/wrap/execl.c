/* execl and execle: a list of words in the call itself. */
#include "words.h"
#include <alloca.h>
#include <unistd.h>

extern int __wrap_execve(const char *, char *const *, char *const *);

int __wrap_execl(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    char **words = alloca(room_for(first, list));
    gather(words, first, list);
    va_end(list);
    return __wrap_execve(path, words, inst_environ());
}

int __wrap_execle(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    char **words = alloca(room_for(first, list));
    gather(words, first, list);
    char **variables = variables_after(first, list);
    va_end(list);
    return __wrap_execve(path, words, variables);
}
