/* The functions that a compiler may call on its own in freestanding code (gcc's manual, section
   "Language Standards Supported by GCC", names memcpy, memmove, memset and memcmp), and strlen.

   A hook must never reach the program's: that may be instrumented, or missing in a program that
   has no C library.  In the library's assembly the names are replaced by inst.NAME (see
   inst/build/library.py), here as well.  Weak: a hook library may bring its own. */
#include <stddef.h>

#define OWN __attribute__((weak, visibility("hidden")))

OWN void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    char *written = to;
    for (const char *read = from; size; size--)
        *written++ = *read++;
    return to;
}

OWN void *memmove(void *to, const void *from, size_t size)
{
    char *written = to;
    const char *read = from;
    if ((size_t)(written - read) >= size)
        return memcpy(to, from, size);
    while (size--)
        written[size] = read[size];
    return to;
}

OWN void *memset(void *to, int value, size_t size)
{
    for (char *written = to; size; size--)
        *written++ = (char)value;
    return to;
}

OWN int memcmp(const void *one, const void *other, size_t size)
{
    const unsigned char *first = one, *second = other;
    for (; size; size--, first++, second++)
        if (*first != *second)
            return *first - *second;
    return 0;
}

OWN size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
