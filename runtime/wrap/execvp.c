/* execvp and similar functions search the path with one call for each directory; one is reported. */
#include "words.h"
#include <alloca.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <inst/handlers.h>

extern int __real_execvpe(const char *, char *const *, char *const *);

/* Return whether a program is found; what the C library calls then may still fail. */
static int is_found(const char *name)
{
    char path[4096];
    const char *folder = getenv("PATH");
    if (strchr(name, '/') || !folder)
        return !access(name, X_OK);
    for (;; folder++) {
        size_t size = strcspn(folder, ":");
        if (size + strlen(name) + 2 <= sizeof path) {
            memcpy(path, folder, size);
            path[size] = '/';
            strcpy(path + size + (size != 0), name);
            if (!access(path, X_OK))
                return 1;
        }
        folder += size;
        if (!*folder)
            return 0;
    }
}

int __wrap_execvpe(const char *name, char *const *words, char *const *variables)
{
    inst_system_call(__NR_execve);
    inst_reads(name, STRING(name));
    STRINGS(words);
    STRINGS(variables);
    return REPLACE_IMAGE(__NR_execve, is_found(name), __real_execvpe(name, words, variables));
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
