/* Asks for memory and gives it back in each hint, as a library that keeps lists does. */
#include <inst/support.h>

void hinthook(const char *kind, unsigned long address, uint64_t value, const char *source)
{
    (void)kind, (void)address, (void)value, (void)source;
    FREE(MALLOC(40));
}
