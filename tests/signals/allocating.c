/* Asks for memory and frees it in each hint, as a library that manages lists does. */
#include <inst/support.h>

void hinthook(const char *kind, unsigned long address, uint64_t value, const char *source)
{
    (void)kind, (void)address, (void)value, (void)source;
    FREE(MALLOC(40));
}
