/* One feature of signals for each argument; what a program can see of it goes to standard output. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int seen, depth, deepest, last_code;
static sigjmp_buf back;
extern void (*bsd_signal(int, void (*)(int)))(int);
extern void (*sysv_signal(int, void (*)(int)))(int);

static void count(int number) { (void)number, seen++; }
static void other(int number) { (void)number, seen += 100; }

static void change(int number);

static const char *name(void (*handler)(int))
{
    return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignore"
           : handler == SIG_HOLD ? "hold" : handler == SIG_ERR ? "error"
           : handler == count ? "count" : handler == other ? "other"
           : handler == change ? "change" : "FOREIGN";
}

static void set(int number, void (*handler)(int), int flags)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
    if (sigaction(number, &action, NULL))
        printf("sigaction: %s\n", strerror(errno));
}

static const char *current(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) ? "error" : name(action.sa_handler);
}

static void with_information(int number, siginfo_t *information, void *context)
{
    seen += number == information->si_signo && context;
    last_code = information->si_code;
    if (information->si_code == SI_QUEUE)
        seen += information->si_value.sival_int;
}

static void nest(int number)
{
    if (++depth > deepest)
        deepest = depth;
    if (depth < 3)
        raise(number);
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    printf("depth %d usr1 %d usr2 %d\n", depth, sigismember(&mask, SIGUSR1),
           sigismember(&mask, SIGUSR2));
    depth--;
}

static void on_stack(int number)
{
    stack_t stack;
    char here;
    (void)number;
    sigaltstack(NULL, &stack);
    seen += stack.ss_flags == SS_ONSTACK && &here > (char *)stack.ss_sp
            && &here < (char *)stack.ss_sp + stack.ss_size;
}

static void change(int number)
{
    printf("first, now %s\n", name(signal(number, other)));
    raise(SIGUSR2);
}

static void jump(int number)
{
    siglongjmp(back, number);
}

static void leave(int number)
{
    (void)number;
    _exit(9);
}

static volatile int overflow(volatile int level)
{
    volatile char room[4096];
    room[0] = level;
    return overflow(level + 1) + room[0];
}

static void handlers(void)
{
    printf("%s\n", name(signal(SIGUSR1, count)));
    printf("%s\n", name(signal(SIGUSR1, SIG_IGN)));
    raise(SIGUSR1);
    printf("%s\n", name(bsd_signal(SIGUSR1, other)));
    raise(SIGUSR1);
    printf("%s %d\n", name(sysv_signal(SIGUSR1, count)), seen);
    raise(SIGUSR1);
    printf("%s %d\n", current(SIGUSR1), seen);
    printf("%s %s\n", name(sigset(SIGUSR1, count)), name(sigset(SIGUSR1, SIG_HOLD)));
    raise(SIGUSR1);
    printf("held %d\n", seen);
    printf("%s %d %s\n", name(sigset(SIGUSR1, other)), seen, current(SIGUSR1));
    errno = 0;
    printf("%s %d\n", name(signal(SIGKILL, count)), errno);
    errno = 0;
    printf("%s %d\n", name(signal(1000, count)), errno);
    for (int n = 0; n < 5; n++) {
        printf("%s\n", name(signal(SIGUSR2, n % 2 ? count : other)));
        raise(SIGUSR2);
    }
    printf("%d\n", seen);
}

static void restart(int flags, int interrupting)
{
    int ends[2], status;
    char letter = 0;
    if (pipe(ends))
        exit(2);
    if (interrupting >= 0) {
        signal(SIGALRM, count);
        siginterrupt(SIGALRM, interrupting);
    } else {
        set(SIGALRM, count, flags);
    }
    pid_t child = fork();
    if (!child) {
        usleep(300000);
        _exit(write(ends[1], "x", 1) != 1);
    }
    struct sigaction action;
    sigaction(SIGALRM, NULL, &action);
    ualarm(50000, 0);
    long got = read(ends[0], &letter, 1);
    printf("%ld %s restarts %d %s\n", got, got < 0 ? strerror(errno) : "read",
           !!(action.sa_flags & SA_RESTART), name(action.sa_handler));
    waitpid(child, &status, 0);
}

static void flags(void)
{
    struct sigaction action = { .sa_sigaction = with_information,
                                .sa_flags = SA_SIGINFO | SA_RESETHAND };
    union sigval value = { .sival_int = 40 };
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &action);
    printf("mask %d flags %x\n", sigismember(&action.sa_mask, SIGUSR2),
           action.sa_flags & (SA_SIGINFO | SA_RESETHAND | SA_NODEFER));
    sigqueue(getpid(), SIGUSR1, value);
    sigaction(SIGUSR1, NULL, &action);
    printf("%d code %d now %s\n", seen, last_code, name(action.sa_handler));
    set(SIGUSR1, nest, SA_NODEFER);
    raise(SIGUSR1);
    depth = 0;
    action = (struct sigaction){ .sa_handler = nest };
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    depth = 2;
    raise(SIGUSR1);
}

static void waits(void)
{
    sigset_t none, one, before;
    sigemptyset(&none), sigemptyset(&one), sigaddset(&one, SIGALRM);
    sigprocmask(SIG_BLOCK, &one, &before);
    set(SIGALRM, count, 0);
    alarm(1);
    printf("%d %d", sigsuspend(&none), errno == EINTR);
    raise(SIGALRM);
    int taken = 0;
    printf(" %d", sigwait(&one, &taken) == 0 && taken == SIGALRM);
    printf(" %d\n", seen);
}

static void alternate(void)
{
    static char room[65536];
    stack_t stack = { .ss_sp = room, .ss_size = sizeof room }, old;
    printf("%d\n", sigaltstack(&stack, NULL));
    set(SIGUSR1, on_stack, SA_ONSTACK);
    raise(SIGUSR1);
    sigaltstack(NULL, &old);
    printf("%d %d\n", seen, old.ss_sp == room && !old.ss_flags);
}

static void overflows(void)
{
    static char room[65536];
    stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
    struct rlimit limit = { 1 << 20, 1 << 20 };
    setrlimit(RLIMIT_STACK, &limit);
    sigaltstack(&stack, NULL);
    set(SIGSEGV, leave, SA_ONSTACK);
    printf("%d\n", overflow(0));
}

static void jumps(void)
{
    set(SIGUSR1, jump, 0);
    for (volatile int n = 0; n < 5; n++)
        if (!sigsetjmp(back, 1)) {
            raise(SIGUSR1);
            printf("not reached\n");
        } else {
            seen++;
        }
    printf("%d\n", seen);
}

static void forks(int number)
{
    int status = 0;
    (void)number;
    pid_t child = fork();
    if (!child) {
        raise(SIGUSR2);
        exit(seen == 1 && !strcmp(current(SIGUSR2), "count") ? 5 : 6);
    }
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
}

static void executes(char *self)
{
    signal(SIGUSR1, count);
    signal(SIGUSR2, SIG_IGN);
    fflush(stdout);
    execl("/proc/self/exe", self, "inherited", (char *)NULL);
    printf("exec: %s\n", strerror(errno));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(what, "handlers"))
        handlers();
    else if (!strcmp(what, "restart"))
        restart(SA_RESTART, -1), restart(0, -1), restart(0, 0), restart(0, 1);
    else if (!strcmp(what, "flags"))
        flags();
    else if (!strcmp(what, "waits"))
        waits();
    else if (!strcmp(what, "alternate"))
        alternate();
    else if (!strcmp(what, "overflow"))
        overflows();
    else if (!strcmp(what, "jumps"))
        jumps();
    else if (!strcmp(what, "change"))
        set(SIGUSR2, count, 0), set(SIGUSR1, change, 0), raise(SIGUSR1), raise(SIGUSR1),
            printf("%d\n", seen);
    else if (!strcmp(what, "fork"))
        set(SIGUSR2, count, 0), set(SIGUSR1, forks, 0), raise(SIGUSR1), printf("%d\n", seen);
    else if (!strcmp(what, "exec"))
        executes(argv[0]);
    else if (!strcmp(what, "inherited"))
        printf("%s %s\n", current(SIGUSR1), current(SIGUSR2));
    else if (!strcmp(what, "default"))
        signal(SIGTERM, count), signal(SIGTERM, SIG_DFL), raise(SIGTERM);
    else if (!strcmp(what, "fatal"))
        raise(SIGSEGV);
    else if (!strcmp(what, "quick"))
        quick_exit(4);
    else if (!strcmp(what, "abort"))
        signal(SIGABRT, count), abort();
    return 3;
}
