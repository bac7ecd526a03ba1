/* A storm of signals into code that runs hooks nearly all the time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern struct {
    unsigned plain, special, wrong, unknown, by_hook[64];
} signal_counts __attribute__((weak));

static volatile uint8_t bytes[64];
static volatile uint16_t halves[64];
static volatile uint32_t words[64];
static volatile uint64_t doubles[64];
static volatile uint32_t received;
static volatile int stop;
static pthread_t busy;
static int eager;                /* send as fast as can be: for a processor of one's own */

static void handler(int number)
{
    received++;
    words[number & 63] += received;
}

static void *send(void *wanted)
{
    uint32_t sent = 0;
    while (sent < (uintptr_t)wanted) {
        uint32_t before = received;
        pthread_kill(busy, SIGUSR1);
        sent++;
        while (received == before && !stop)
            eager ? sched_yield() : usleep(1);
    }
    stop = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    uintptr_t wanted = argc > 1 ? atoi(argv[1]) : 10000;
    eager = argc > 2;
    pthread_t sender;
    busy = pthread_self();
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&sender, NULL, send, (void *)wanted);
    for (uint32_t n = 0; !stop; n++) {
        bytes[n & 63] += bytes[(n + 1) & 63];
        halves[n & 63] += halves[(n + 1) & 63];
        words[n & 31] = words[(n + 1) & 31] + 1;
        doubles[n & 63] += doubles[(n + 1) & 63];
    }
    pthread_join(sender, NULL);
    printf("received %u\n", (unsigned)received);
    if (&signal_counts) {
        printf("reported %u wrong %u\n", signal_counts.plain + signal_counts.special,
               signal_counts.wrong);
        fprintf(stderr, "plain %u special %u unknown %u:", signal_counts.plain,
                signal_counts.special, signal_counts.unknown);
        for (int n = 0; n < 64; n++)
            if (signal_counts.by_hook[n])
                fprintf(stderr, " %d:%u", n, signal_counts.by_hook[n]);
        fprintf(stderr, "\n");
    }
    return 0;
}
