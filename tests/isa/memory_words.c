/* Print for each word of the input what the tables of a runtime say of it. */
#include <stdint.h>
#include <stdio.h>

#ifdef __sparc__
#include <accesses.h>

static void show(uint32_t word)
{
    const struct row *row = &accesses[word >> 19 & 63];
    if (word >> 30 == 3 && row->size)
        printf("%d %d %d\n", row->size, row->stores, row->floats);
    else
        puts("");
}
#else
#include "lookup.h"

/* Words of SPE are not asked for. */
int inst_has_spe(void)
{
    return 0;
}

static void show(uint32_t word)
{
    const struct access *access = access_of(word);
    if (access)
        printf("%d %d %d %d %d\n", access->size, access->stores, access->value, access->form,
               access->bank);
    else
        puts("");
}
#endif

int main(void)
{
    unsigned word;
    while (scanf("%x", &word) == 1)
        show(word);
    return 0;
}
