/* The words of execl and similar functions. */
#include <inst/handlers.h>
#include <inst/wrap.h>
#include <stdarg.h>

/* Call what replaces the program's image, and report what it did if it comes back.  Whether it will
   replace it (IS_FOUND) is found out before. */
#define REPLACE_IMAGE(NUMBER, IS_FOUND, CALL)               \
    ({                                                      \
        int before_ = errno;                                \
        if (IS_FOUND)                                       \
            inst_image_ends();                              \
        errno = before_;                                    \
        int result_ = CALL;                                 \
        inst_image_continues();                             \
        inst_error_since(before_);                          \
        inst_system_result(NUMBER, result_, errno);         \
        result_;                                            \
    })

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
