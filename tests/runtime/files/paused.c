/* Pauses in a handler, in a child of fork, and in threads: each way is an argument. */
#include <inst/annotate.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 4000 };
static volatile int recorded[COUNT], left_out[COUNT];
static volatile sig_atomic_t has_come;

__attribute__((noinline)) static void fill(volatile int *table, int with)
{
    for (int n = 0; n < COUNT; n++)
        table[n] = with + n;
}

static void pausing(int number)
{
    INST_PAUSE();
    has_come = number;
}

static void resuming(int number)
{
    has_come = number;
    INST_RESUME();
}

static void handlers(void)
{
    signal(SIGUSR1, pausing);
    signal(SIGUSR2, resuming);
    for (int round = 0; round < 20; round++) {
        fill(recorded, 1);
        raise(SIGUSR1);
        fill(left_out, 1);
        raise(SIGUSR2);
    }
}

/* A handler that interrupts segments anywhere. */
static volatile int off;

static void turning(int number)
{
    off = !off;
    if (off)
        INST_PAUSE();
    else
        INST_RESUME();
    has_come = number;
}

static void interrupted(void)
{
    signal(SIGALRM, turning);
    for (int round = 0; round < 30; round++) {
        has_come = 0;
        ualarm(300, 0);
        while (!has_come)
            for (int n = 0; n < COUNT; n++)
                recorded[n] += recorded[(n * 7) % COUNT];
    }
}

static void forks(void)
{
    INST_PAUSE();
    fill(left_out, 1);
    if (!fork()) {
        fill(left_out, 2);
        INST_RESUME();
        fill(recorded, 2);
        exit(0);
    }
    int status;
    wait(&status);
    fill(left_out, 3);
    INST_RESUME();
    fill(recorded, 3);
}

static void *thread(void *with)
{
    fill(recorded, (int)(long)with);
    return 0;
}

static void threads(void)
{
    pthread_t made[3];
    INST_PAUSE();
    fill(left_out, 1);
    for (int n = 0; n < 3; n++)
        pthread_create(&made[n], 0, thread, (void *)(long)n);
    for (int n = 0; n < 3; n++)
        pthread_join(made[n], 0);
    INST_RESUME();
    pthread_create(&made[0], 0, thread, (void *)7);
    pthread_join(made[0], 0);
    fill(recorded, 8);
}

static void from_the_start(void)
{
    fill(left_out, 1);
    INST_RESUME();
    fill(recorded, 2);
}

/* With INST_TOGGLE=SIGUSR2: the signal has no handler of the program's, also after one was there. */
static void toggles(void)
{
    for (int round = 0; round < 20; round++) {
        fill(recorded, 1);
        kill(getpid(), SIGUSR2);
        fill(left_out, 1);
        signal(SIGUSR2, SIG_DFL);
        kill(getpid(), SIGUSR2);
    }
}

static void waits(void)
{
    for (int round = 0; round < 3; round++) {
        fill(recorded, 1);
        puts("send");
        fflush(stdout);
        getchar();
        fill(left_out, 1);
        puts("send");
        fflush(stdout);
        getchar();
    }
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {
        { "handlers", handlers }, { "interrupted", interrupted }, { "forks", forks },
        { "threads", threads },   { "start", from_the_start }, { "toggles", toggles },
        { "waits", waits },
    };
    for (unsigned n = 0; n < sizeof ways / sizeof *ways; n++)
        if (count > 1 && !strcmp(arguments[1], ways[n].name))
            ways[n].run();
    puts("done");
    return 0;
}
