/* Address ranges read from a file: which instructions a plugin looks at.
 *
 * Each line is `LOW [HIGH]` in hexadecimal, HIGH excluded; a lone LOW is one instruction.
 * Addresses are those of the executable file; `ranges_load_at` says where it was loaded. */
#ifndef RANGES_H
#define RANGES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct range {
    uint64_t low, high;
};

struct ranges {
    struct range *at;
    size_t count;
};

static int range_order(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Returns 0, or -1 when the file cannot be read. */
static int ranges_read(struct ranges *all, const char *path)
{
    char line[128];
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file)) {
        struct range r;
        char *end;
        r.low = strtoull(line, &end, 16);
        if (end == line)
            continue;
        r.high = strtoull(end, NULL, 16);
        if (!r.high)
            r.high = r.low + 1;
        if (all->count == room)
            all->at = realloc(all->at, (room = room ? 2 * room : 256) * sizeof r);
        all->at[all->count++] = r;
    }
    fclose(file);
    qsort(all->at, all->count, sizeof *all->at, range_order);
    return 0;
}

/* Ranges must not overlap. */
static int ranges_contain(const struct ranges *all, uint64_t address)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (all->at[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < all->at[low - 1].high;
}

#endif
