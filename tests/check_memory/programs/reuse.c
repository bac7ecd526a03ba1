/* A block of memory goes from one thread to another by way of the allocator alone; with RACY it is
   shared.  What the pipe orders, no trace knows. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 5000, PLACE = 3000 };

static int ends[2], way;

static char *take(void)
{
    void *block = NULL;
    switch (way) {
    case 0: return malloc(SIZE);
    case 1: return calloc(SIZE / 8, 8);
    case 2: return realloc(NULL, SIZE);
    case 3: return aligned_alloc(16, SIZE + 8);
    case 4: return posix_memalign(&block, 16, SIZE) ? NULL : block;
    case 5: return reallocarray(NULL, SIZE / 8, 8);
    default: return memalign(16, SIZE);
    }
}

static void *first(void *unused)
{
    volatile char *block = take();
    block[PLACE] = 1;
#ifdef RACY
    write(ends[1], &block, sizeof block);
    block[PLACE] = 2;
#else
    free((char *)block);
    write(ends[1], &block, sizeof block);
#endif
    return unused;
}

static void *second(void *same)
{
    volatile char *other;
    read(ends[0], &other, sizeof other);
#ifdef RACY
    other[PLACE] = 3;
#else
    volatile char *block = take();
    block[PLACE] = 3;
    *(int *)same = block < other + SIZE && other < block + SIZE;
    free(realloc((char *)block, SIZE + 100));
#endif
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[2];
    int same = 1;
    way = count > 1 ? atoi(arguments[1]) : 0;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    pipe(ends);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, &same);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    printf("%d\n", same);
    return 0;
}
