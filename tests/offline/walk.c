/* Walks over memory at an address that is the same in every build. */
#include <stdint.h>
#include <sys/mman.h>

enum { CELLS = 1 << 14 };

int main(void)
{
    uint32_t *cells = mmap((void *)0x30000000, CELLS * sizeof *cells, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    uint32_t place = 1, sum = 0;
    if (cells == MAP_FAILED)
        return 2;
    for (int n = 0; n < CELLS; n += 7)
        cells[n] = n;
    for (int n = 0; n < 6000; n++) {
        place = place * 1664525u + 1013904223u;
        sum += cells[place >> 18] + ((unsigned char *)cells)[n * 8 % CELLS];
    }
    cells[0] = sum;
    return 0;
}
