/* Writes numbers down one after the other, says how far it is, and meets with an accident. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 0x5a000000, OTHERS = 0x5b000000, ALARMS = 0x5c000000, STEP = 500 };

static volatile uint32_t number, other, alarms;

static void write_down(uint32_t from, uint32_t to)
{
    for (uint32_t n = from; n < to; n++)
        number = NUMBERS + n;
}

static void on_alarm(int signal)
{
    static uint32_t count;
    (void)signal;
    alarms = ALARMS + count++;
}

static void *run_beside(void *unused)
{
    for (uint32_t n = 0;; n++)
        other = OTHERS + (n & 0xffffff);
    return unused;
}

static pthread_t target;

static void *interrupt(void *unused)
{
    for (;;) {
        pthread_kill(target, SIGALRM);
        usleep(30);
    }
    return unused;
}

/* Until it is killed: the numbers printed on standard output are written down before.  What
   happens meanwhile: nothing, a thread that writes and a clock that interrupts, or a thread that
   interrupts all the time. */
static void live(const char *meanwhile)
{
    struct itimerval often = { { 0, 700 }, { 0, 700 } };
    pthread_t beside;
    signal(SIGALRM, on_alarm);
    target = pthread_self();
    if (!strcmp(meanwhile, "clock")) {
        pthread_create(&beside, NULL, run_beside, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
    } else if (!strcmp(meanwhile, "storm")) {
        pthread_create(&beside, NULL, interrupt, NULL);
    }
    for (uint32_t n = 0; n < 0xffffff; n += STEP) {
        char text[16];
        write_down(n, n + STEP);
        int size = snprintf(text, sizeof text, "%u\n", (unsigned)(n + STEP));
        if (write(1, text, size) != size)
            break;
    }
}

/* A file of the program's takes every place, also the trace's: nothing may write to it or cut it. */
static void close_all(const char *name)
{
    int own = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (write(own, "mine\n", 5) != 5)
        exit(7);
    for (int n = 3; n < 1024; n++)
        if (n != own && dup2(own, n) != n)
            exit(6);
}

static void fork_here(int signal)
{
    int status = 0;
    (void)signal;
    pid_t child = fork();
    if (!child) {
        write_down(30000, 31000);
        exit(5);
    }
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
}

static void leave(int signal)
{
    (void)signal;
    write_down(30000, 30100);
    if (write(1, "overflow\n", 9) != 9)
        _exit(8);
    _exit(9);
}

static volatile int overflow(volatile int level)
{
    volatile char room[1024];
    room[0] = level;
    return overflow(level + 1) + room[0];
}

static void overflow_stack(void)
{
    static char room[65536];
    stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
    struct rlimit limit = { 1 << 20, 1 << 20 };
    struct sigaction action = { .sa_handler = leave, .sa_flags = SA_ONSTACK };
    setrlimit(RLIMIT_STACK, &limit);
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    overflow(0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(what, "live"))
        live(argv[2]);
    write_down(0, 30000);
    printf("half\n");
    if (!strcmp(what, "close"))
        close_all(argv[2]);
    else if (!strcmp(what, "exec"))
        execvp(argv[2], argv + 2);
    else if (!strcmp(what, "fork"))
        signal(SIGUSR1, fork_here), raise(SIGUSR1);
    else if (!strcmp(what, "overflow"))
        overflow_stack();
    write_down(30000, 60000);
    if (!strcmp(what, "end"))
        close_all(argv[2]);
    printf("whole %x\n", (unsigned)number);
    return 3;
}
