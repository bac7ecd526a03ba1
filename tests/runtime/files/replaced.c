/* A program that becomes another by exec: argument 1 names it, and one that comes first does not work. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 20000 };
extern char **environ;
static volatile unsigned cell;
static const char *program;

static void store(unsigned from)
{
    for (unsigned n = from; n < from + COUNT; n++)
        cell = n;
}

static void become(int number)
{
    (void)number;
    execl(program, program, (char *)0);
}

static void *wait_for_ever(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "";
    pthread_t thread;
    if (!strcmp(way, "thread"))
        pthread_create(&thread, NULL, wait_for_ever, NULL);
    store(0);
    if (!strcmp(way, "fail")) {
        program = "./text";
        become(0);
        store(COUNT);
        puts("goes on");
        return 0;
    }
    program = "/bin/true";
    if (!strcmp(way, "handler")) {
        signal(SIGUSR1, become);
        raise(SIGUSR1);
    }
    if (!strcmp(way, "file"))
        fexecve(open(program, O_RDONLY | O_CLOEXEC), (char *[]){ "true", NULL }, environ);
    become(0);
    return 1;
}
