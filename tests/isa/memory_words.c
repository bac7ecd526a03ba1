/* Print for each word of the input what the tables of a runtime say of it. */
#include <stdint.h>
#include <stdio.h>

#ifdef __sparc__
#include <accesses.h>
#include <opcodes.h>

static unsigned size_of(uint32_t word, const struct row *row)
{
#ifdef __arch64__
    unsigned operation = word >> 19 & 63, in_register = word >> 13 & 1;
    const struct space *space = &spaces[word >> 5 & 255];
    if (in_register)
        return row->size;
    if (operation == OP3_LDDA && space->kind == TWIN)
        return space->size;
    if (operation == OP3_LDDFA || operation == OP3_STDFA)
        return space->kind == IN_BLOCKS || space->kind == SHORT ? space->size : row->size;
#endif
    return row->size;
}

static void show(uint32_t word)
{
    const struct row *row = &accesses[word >> 19 & 63];
    if (word >> 30 == 3 && row->size)
        printf("%d %d %d\n", size_of(word, row), row->stores, row->floats);
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
