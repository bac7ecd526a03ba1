/* Threads one after another, each with a number of its own to write down. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static volatile uint32_t number;

static void *work(void *given)
{
    number = 1000000 + (uint32_t)(uintptr_t)given;
    return NULL;
}

int main(int argc, char **argv)
{
    uintptr_t wanted = argc > 1 ? atoi(argv[1]) : 5000, n;
    for (n = 0; n < wanted; n++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, (void *)n))
            break;
        pthread_join(thread, NULL);
    }
    printf("%lu %u\n", (unsigned long)n, (unsigned)number);
    return 0;
}
