/* Ways in which threads and processes begin and end, most of them in the middle of a hook: one for
   each argument.  Each part of the program counts up in a variable of its own, so that a trace
   shows whether anything is missing; standard output is the same in every run. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 0x5a000000, SEVERAL = 12, SOME = 300, ALARMS = 8 };

static volatile uint32_t counters[SEVERAL + 4], ended[SEVERAL];
static volatile int alarms, action_wanted;
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int destroyed, cleaned, jumps;
static char **command;
static sigjmp_buf back;

static void count_up(volatile uint32_t *counter, uint32_t from, uint32_t to)
{
    for (uint32_t n = from; n < to; n++)
        *counter = NUMBERS + n;
}

static void count_for_ever(volatile uint32_t *counter)
{
    for (uint32_t n = 0;; n++)
        *counter = NUMBERS + n;
}

/* What a destructor or a clean-up does is traced as well. */
static void destroy(void *value)
{
    volatile uint32_t *end = &ended[(volatile uint32_t *)value - counters];
    for (uint32_t n = 0; n < 10; n++)
        *end = NUMBERS + n;
    pthread_mutex_lock(&lock);
    destroyed++;
    pthread_mutex_unlock(&lock);
}

static void clean(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    cleaned++;
    pthread_mutex_unlock(&lock);
}

static void leave_thread(int number)
{
    (void)number;
    pthread_exit((void *)(intptr_t)7);
}

static void *spin(void *given)
{
    pthread_setspecific(key, given);
    pthread_cleanup_push(clean, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    count_for_ever(given);
    pthread_cleanup_pop(0);
    return NULL;
}

/* Threads that do nothing but hooks are ended from outside. */
static void end_threads(int by_signal)
{
    pthread_t threads[SEVERAL];
    long results = 0;
    signal(SIGUSR1, leave_thread);
    pthread_key_create(&key, destroy);
    for (int n = 0; n < SEVERAL; n++)
        pthread_create(&threads[n], NULL, spin, (void *)&counters[n]);
    for (int n = 0; n < SEVERAL; n++) {
        void *result;
        while (counters[n] < NUMBERS + SOME)
            sched_yield();
        if (by_signal)
            pthread_kill(threads[n], SIGUSR1);
        else
            pthread_cancel(threads[n]);
        pthread_join(threads[n], &result);
        results += by_signal ? (long)result : result == PTHREAD_CANCELED;
    }
    printf("%ld results, %d cleaned, %d destroyed\n", results, cleaned, destroyed);
}

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
    clean(NULL);
}

static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int silent[2];
static volatile int may_wait[SEVERAL];

/* Waits in a function of the C library that is reported to hooks, until it is cancelled there. */
static void *wait_for_ever(void *given)
{
    volatile uint32_t *counter = given;
    char letter;
    pthread_setspecific(key, given);
    count_up(counter, 0, SOME + 1);
    while (!may_wait[counter - counters])
        sched_yield();
    if ((counter - counters) % 2) {
        pthread_cleanup_push(clean, NULL);
        read(silent[0], &letter, 1);
        pthread_cleanup_pop(0);
    } else {
        pthread_mutex_lock(&guard);
        pthread_cleanup_push(unlock, &guard);
        pthread_cond_wait(&never, &guard);
        pthread_cleanup_pop(0);
    }
    return NULL;
}

/* Cancelled before it waits, or while it does. */
static void cancel_waiting(int before)
{
    pthread_t threads[SEVERAL];
    int results = 0;
    pipe(silent);
    pthread_key_create(&key, destroy);
    for (int n = 0; n < SEVERAL; n++)
        pthread_create(&threads[n], NULL, wait_for_ever, (void *)&counters[n]);
    for (int n = 0; n < SEVERAL; n++) {
        void *result;
        while (counters[n] < NUMBERS + SOME)
            sched_yield();
        if (!before) {
            may_wait[n] = 1;
            usleep(2000);
        }
        pthread_cancel(threads[n]);
        may_wait[n] = 1;
        pthread_join(threads[n], &result);
        results += result == PTHREAD_CANCELED;
    }
    printf("%d cancelled, %d cleaned, %d destroyed\n", results, cleaned, destroyed);
}

static void say_end(void)
{
    count_up(&counters[SEVERAL], 0, SOME);
    printf("last function %d\n", counters[SEVERAL] == NUMBERS + SOME - 1);
}

static void *exit_beside(void *unused)
{
    count_up(&counters[1], 0, SOME);
    while (counters[0] < NUMBERS + SOME)
        sched_yield();
    exit(5);
    return unused;
}

/* To call exit while the first thread still unwinds makes glibc abort in one of 200 runs. */
static void *exit_last(void *first)
{
    count_up(&counters[1], 0, SOME);
    pthread_join(*(pthread_t *)first, NULL);
    exit(5);
    return first;
}

static void execute(void)
{
    execvp(command[0], command);
}

/* An argument longer than the kernel takes. */
static void execute_too_much(void)
{
    static char words[1 << 18];
    static char *list[] = { words, NULL };
    memset(words, 'a', sizeof words - 1);
    execv(command[0], list);
}

static void wait_for(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d %d\n", WEXITSTATUS(status), WTERMSIG(status));
}

/* The child goes on in the hook that was interrupted; so does the parent. */
static void fork_here(void)
{
    pid_t child = fork();
    if (child) {
        wait_for(child);
    } else {
        count_up(&counters[2], 0, SOME);
        action_wanted = 'x';
        alarms = 5 * ALARMS;
    }
}

static void on_alarm(int number)
{
    (void)number;
    if (++alarms % ALARMS || alarms > 2 * ALARMS && action_wanted != 'j')
        return;
    switch (action_wanted) {
    case 'e': exit(6);
    case 'q': quick_exit(8);
    case 'a': abort();
    case 'f': fork_here(); break;
    case 'r': execute(); break;
    case 'n': execute_too_much(); break;
    case 'j': siglongjmp(back, 1);
    }
}

/* Nothing but memory is used here, and nothing returned to: QEMU 7.2 loses the registers of a
   SPARC's window when a handler jumps out of it. */
static __attribute__((noinline)) void loop(void)
{
    static volatile uint32_t n;
    static struct itimerval never;
    while (alarms < 5 * ALARMS)
        counters[0] = NUMBERS + n, n++;
    setitimer(ITIMER_REAL, &never, NULL);
    printf("end %c jumps %d\n", action_wanted, jumps);
    exit(4);
}

/* Signals come into a loop of hooks; one handler does something that does not just return. */
static void interrupted(int action)
{
    struct itimerval often = { { 0, 900 }, { 0, 900 } };
    action_wanted = action;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    if (sigsetjmp(back, 1))
        jumps++;
    loop();
}

static int run_cloned(void *unused)
{
    (void)unused;
    count_up(&counters[3], 0, SOME);
    return 9;
}

/* Without SETTLS, so with memory of its own: a fork by another name. */
static void clone_raw(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    pid_t parent = getpid();
    count_up(&counters[0], 0, SOME);
    fflush(stdout);
    pid_t child = clone(run_cloned, stack + sizeof stack, SIGCHLD, NULL);
    wait_for(child);
    count_up(&counters[0], SOME, 2 * SOME);
    fflush(stdout);
    child = syscall(SYS_fork);
    if (getpid() != parent) {
        count_up(&counters[2], 0, SOME);
        _exit(3);
    }
    wait_for(child);
    count_up(&counters[0], 2 * SOME, 3 * SOME);
}

static void spawn(void)
{
    extern char **environ;
    pid_t child;
    count_up(&counters[0], 0, SOME);
    fflush(stdout);
    if (posix_spawnp(&child, command[0], NULL, NULL, command, environ))
        printf("not spawned\n");
    wait_for(child);
    count_up(&counters[0], SOME, 2 * SOME);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t beside;
    static pthread_t first;
    command = argv + 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(what, "cancel"))
        end_threads(0);
    else if (!strcmp(what, "cancel-before"))
        cancel_waiting(1);
    else if (!strcmp(what, "cancel-waiting"))
        cancel_waiting(0);
    else if (!strcmp(what, "exit-thread"))
        end_threads(1);
    else if (!strcmp(what, "atexit"))
        atexit(say_end), count_up(&counters[0], 0, SOME);
    else if (!strcmp(what, "exit-beside"))
        atexit(say_end), pthread_create(&beside, NULL, exit_beside, NULL),
            count_for_ever(&counters[0]);
    else if (!strcmp(what, "last-thread"))
        atexit(say_end), first = pthread_self(), pthread_create(&beside, NULL, exit_last, &first),
            count_up(&counters[0], 0, SOME + 1), pthread_exit(NULL);
    else if (!strcmp(what, "exit"))
        atexit(say_end), interrupted('e');
    else if (!strcmp(what, "quick"))
        interrupted('q');
    else if (!strcmp(what, "abort"))
        interrupted('a');
    else if (!strcmp(what, "fork"))
        interrupted('f');
    else if (!strcmp(what, "exec"))
        interrupted('r');
    else if (!strcmp(what, "no-exec"))
        interrupted('n');
    else if (!strcmp(what, "jump"))
        interrupted('j');
    else if (!strcmp(what, "clone"))
        clone_raw();
    else if (!strcmp(what, "spawn"))
        spawn();
    else if (!strcmp(what, "again"))
        count_up(&counters[4], 0, SOME);
    printf("done %s\n", what);
    return 2;
}
