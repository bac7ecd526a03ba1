/* Run accesses with every register; each has a cell of its own, which says what had to be reported. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern const struct report {
    uint32_t size, stores;
    uintptr_t address;
    uint64_t value, low;
} reports[];
extern volatile uint32_t report_count;
extern unsigned char cells[];
extern const uint32_t row_count;
extern const char *const names[];
void accesses(void);

enum { CELL = 32 };

/* A number as it lies in memory. */
static void store(unsigned char *room, uint64_t value, unsigned size)
{
    for (unsigned n = 0; n < size; n++)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        room[n] = value >> 8 * (size - 1 - n);
#else
        room[n] = value >> 8 * n;
#endif
}

int main(void)
{
    uint32_t at = 0, failures = 0;
    uintptr_t start = (uintptr_t)cells;
    for (uint32_t n = 0; n < row_count * CELL; n++)     /* numbers, so that nothing is quieted */
        cells[n] = n % 4 == 1 ? 0x3f : 0x41 + (n * 2654435761u >> 26);
    accesses();
    for (uint32_t n = 0; n < report_count; n++) {
        unsigned char room[16];
        if (reports[n].address - start >= row_count * CELL)
            continue;       /* the function's own stack */
        unsigned size = reports[n].size, row = (reports[n].address - start) / CELL;
        const unsigned char *cell = (const unsigned char *)reports[n].address;
        while (at < row && failures++ < 20)
            printf("%s: not reported\n", names[at++]);
        at = row + 1;
        store(room, reports[n].value, size == 16 ? 8 : size);
        if (size == 16)
            store(room + 8, reports[n].low, 8);
        if (memcmp(room, cell, size) && failures++ < 20) {
            printf("%s:", names[row]);
            for (unsigned k = 0; k < 2 * size; k++)
                printf("%s%02x", k == 0 ? " memory has " : k == size ? ", reported was " : "",
                       k < size ? cell[k] : room[k - size]);
            printf("\n");
        }
    }
    printf("%u of %u, %u failures\n", at, row_count, failures);
    return 0;
}
