/* A program that works before main and behind it, and ends in the way of its argument. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

/* The system call itself, as no library makes it. */
static void leave_by_instruction(void)
{
#if defined __arch64__
    register long call __asm__("g1") = SYS_exit_group, status __asm__("o0") = 9;
    __asm__ volatile("ta 0x6d" : : "r"(call), "r"(status) : "memory");
#elif defined __sparc__
    register long call __asm__("g1") = SYS_exit_group, status __asm__("o0") = 9;
    __asm__ volatile("ta 0x10" : : "r"(call), "r"(status) : "memory");
#else
    register long call __asm__("r0") = SYS_exit_group, status __asm__("r3") = 9;
    __asm__ volatile("sc" : : "r"(call), "r"(status) : "memory");
#endif
}

static sigjmp_buf back;

static void jump(int number)
{
    siglongjmp(back, number);
}

/* What it does is what the kernel would have done. */
static void die_by_default(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* Nothing that a program asks for shows that its end is watched. */
static int seems_untouched(void)
{
    struct sigaction action = { .sa_handler = SIG_IGN };
    const int all[] = { SIGINT, SIGTERM, SIGSEGV, SIGABRT, SIGPIPE, SIGUSR1, SIGRTMAX };
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++) {
        if (sigaction(all[n], NULL, &action) || action.sa_handler != SIG_DFL || action.sa_flags)
            return 0;
        if (signal(all[n], SIG_IGN) != SIG_DFL || signal(all[n], SIG_DFL) != SIG_IGN)
            return 0;
        if (signal(all[n], SIG_DFL) != SIG_DFL)
            return 0;
    }
    return 1;
}

static void end_a_child(const char *way)
{
    int status = 0;
    pid_t child = strcmp(way, "vfork") ? fork() : vfork();
    if (child == 0 && !strcmp(way, "vfork"))
        _exit(6);
    if (child == 0)
        raise(SIGTERM);
    waitpid(child, &status, 0);
    printf("child %d %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 0,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void end_by_signal(const char *way)
{
    if (!strcmp(way, "raise"))
        raise(SIGUSR1);
    if (!strcmp(way, "kill"))
        kill(getpid(), SIGTERM);
    if (!strcmp(way, "pipe")) {
        int ends[2];
        if (pipe(ends) == 0 && close(ends[0]) == 0)
            write(ends[1], "x", 1);
    }
    if (!strcmp(way, "default"))
        signal(SIGINT, die_by_default), raise(SIGINT);
    if (!strcmp(way, "caught abort") && signal(SIGABRT, jump) == SIG_DFL)
        sigsetjmp(back, 1) ? exit(8) : abort();
    if (!strcmp(way, "untouched"))
        exit(seems_untouched() ? 10 : 11);
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
    if (!strcmp(way, "_Exit"))
        _Exit(7);
    if (!strcmp(way, "quick_exit"))
        at_quick_exit(late), quick_exit(8);
    if (!strcmp(way, "syscall"))
        syscall(SYS_exit_group, 8);
    if (!strcmp(way, "instruction"))
        leave_by_instruction();
    if (!strcmp(way, "last thread"))
        pthread_exit(NULL);
    if (!strcmp(way, "no exec"))
        printf("%d\n", execlp("./no-such-program", "none", (char *)0) == -1 && errno == ENOENT);
    if (!strcmp(way, "vfork") || !strcmp(way, "killed child"))
        end_a_child(way);
    end_by_signal(way);
    return 2;
}
