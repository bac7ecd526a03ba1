/* The words of execl and similar functions. */
#include <inst/wrap.h>
#include <stdarg.h>

/* Bytes for the first word, those of the list, and the null pointer. */
static inline size_t room_for(const char *first, va_list given)
{
    size_t count = 2;
    va_list list;
    va_copy(list, given);
    while (first && va_arg(list, char *))
        count++;
    va_end(list);
    return count * sizeof(char *);
}

/* Copy the words to their destination. */
static inline void gather(char **words, const char *first, va_list given)
{
    va_list list;
    va_copy(list, given);
    words[0] = (char *)first;
    for (size_t n = 1; words[n - 1]; n++)
        words[n] = va_arg(list, char *);
    va_end(list);
}

/* Return what follows the null pointer. */
static inline char **variables_after(const char *first, va_list given)
{
    va_list list;
    va_copy(list, given);
    while (first && va_arg(list, char *))
        ;
    char **variables = va_arg(list, char **);
    va_end(list);
    return variables;
}
