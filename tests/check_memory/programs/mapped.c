/* A file that is mapped, and written by system calls: lmdb and other databases do so. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 65536 };

static int sum(const int *from)
{
    int result = 0;
    for (int n = 0; n < 16; n++)
        result += from[n];
    return result;
}

static void change(int file, int by)
{
    int values[16];
    for (int n = 0; n < 16; n++)
        values[n] = by * n;
    if (pwrite(file, values, sizeof values, 0) != sizeof values)
        _exit(1);
}

int main(void)
{
    int file = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, 2 * SIZE))
        return 1;
    int *at = mmap(0, SIZE, PROT_READ, MAP_SHARED, file, 0);
    if (at == MAP_FAILED)
        return 1;
    printf("%d", sum(at));
    change(file, 1);
    printf(" %d", sum(at));
    int *moved = mremap(at, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return 1;
    change(file, 2);
    printf(" %d", sum(moved));
    if (munmap(moved, 2 * SIZE))
        return 1;
    int *own = mmap(moved, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memset(own, 1, 64);
    printf(" %d\n", sum(own) == 16 * 0x01010101);
    return 0;
}
