/* A program that works before main and behind it, and ends in the way of its argument. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint32_t sum;
static char **arguments;

static __attribute__((noinline)) void work(uint32_t turns)
{
    for (uint32_t n = 0; n < turns; n++)
        sum += n;
}

/* As early as a program may. */
__attribute__((constructor(102))) static void early(void)
{
    work(10);
}

static void late(void)
{
    work(333);
}

static void *leave(void *unused)
{
    work(50);
    exit(3);
    return unused;
}

int main(int count, char **given)
{
    const char *way = count > 1 ? given[1] : "return";
    pthread_t thread;
    arguments = given;
    atexit(late);
    work(2500);
    if (!strcmp(way, "exit"))
        exit(4);
    if (!strcmp(way, "_exit"))
        _exit(5);
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "fault"))
        *(volatile int *)8 = 1;
    if (!strcmp(way, "exec"))
        execv(arguments[2], arguments + 2);
    if (!strcmp(way, "thread"))
        pthread_create(&thread, NULL, leave, NULL), pthread_join(thread, NULL);
    if (!strcmp(way, "fork")) {
        int status;
        if (fork() == 0)
            return 6;
        wait(&status);
        printf("child %d\n", WEXITSTATUS(status));
    }
    return 2;
}
