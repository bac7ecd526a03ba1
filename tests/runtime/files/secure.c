/* Writes over AT_SECURE in the auxiliary vector, before any constructor runs, with the digit that
   the first argument is.  It is not instrumented: an event would come before. */
#include <elf.h>
#include <stdint.h>

static void write_over(int count, char **arguments, char **environment)
{
    uintptr_t *entry;
    if (count < 2)
        return;
    while (*environment++)
        ;
    for (entry = (uintptr_t *)environment; entry[0] != AT_NULL; entry += 2)
        if (entry[0] == AT_SECURE)
            entry[1] = arguments[1][0] - '0';
}

__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **, char **) =
    write_over;
