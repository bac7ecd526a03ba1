/* Allocate, in two threads and in a child, and count by the line of each call what the program has
   got and what it still has. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES = 200, ROUNDS = 300, KEPT = 25 };

static struct {
    unsigned long bytes, blocks, live, live_blocks;
} counts[LINES];
static int grown;                       /* the line of realloc */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *got(void *block, size_t size, int line)
{
    pthread_mutex_lock(&lock);
    counts[line].bytes += size;
    counts[line].live += size;
    counts[line].blocks++;
    counts[line].live_blocks++;
    pthread_mutex_unlock(&lock);
    return block;
}

static void gone(size_t size, int line)
{
    pthread_mutex_lock(&lock);
    counts[line].live -= size;
    counts[line].live_blocks--;
    pthread_mutex_unlock(&lock);
}

static void report(void)
{
    for (int line = 0; line < LINES; line++)
        if (counts[line].blocks)
            printf("%d %lu %lu %lu %lu\n", line, counts[line].bytes, counts[line].blocks,
                   counts[line].live, counts[line].live_blocks);
    puts("end");
    fflush(stdout);
}

#define GET(SIZE) got(malloc(SIZE), SIZE, __LINE__)

static void *work(void *kept)
{
    for (size_t round = 1; round <= ROUNDS; round++) {
        char *small = GET(round); int line = __LINE__;
        char *zeros = got(calloc(round, 3), 3 * round, __LINE__); int other = __LINE__;
        gone(round, line);
        small = got(realloc(small, 2 * round), 2 * round, __LINE__); line = grown = __LINE__;
        memset(small, 1, 2 * round);
        if (round <= KEPT) {
            ((char **)kept)[round - 1] = small;
        } else {
            free(small); gone(2 * round, line);
        }
        free(zeros); gone(3 * round, other);
    }
    return kept;
}

int main(void)
{
    static char *kept[2][KEPT];
    pthread_t threads[2];
    void *volatile failed = malloc(2);
    got(failed, 2, __LINE__ - 1);
    failed = realloc(failed, (size_t)-1 - 4096);
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, work, kept[n]);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    for (char **line = kept[0]; line < kept[0] + KEPT; line++)
        free(*line);
    for (size_t round = 1; round <= KEPT; round++)
        gone(2 * round, grown);
    fflush(stdout);
    if (!fork()) {
        char *own = GET(1000);
        memset(own, 1, 1000);
        report();
        exit(0);
    }
    wait(NULL);
    report();
    return 0;
}
