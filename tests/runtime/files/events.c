/* A program whose accesses are its calls of touch: it counts them up, and does what hooks fear. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void touch(volatile uint32_t *cell);

enum { HANDLER = 0x40000000, THREAD = 0x01000000 };

static volatile uint32_t value, handled = HANDLER, most;
static int jumps, forks, is_child;
static sigjmp_buf again;

static void count(uint32_t from, uint32_t to)
{
    volatile uint32_t cell;
    for (cell = from; cell < to; cell++)
        touch(&cell);
}

/* Send the next signal, until there were enough: a timer that goes on by itself may be faster than
   a slow machine's handler, and the program then never goes on. */
static void arm(int is_on)
{
    struct itimerval soon = { { 0, 0 }, { 0, is_on ? 200 : 0 } };
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void handler(int number)
{
    (void)number;
    for (int n = 0; n < 3; n++) {
        touch(&handled);
        handled++;
    }
    if (forks && (handled - HANDLER) % 90 == 0 && forks--) {
        if (!fork())
            is_child = 1, forks = 0;
        else
            wait(NULL);
    }
    if (!is_child && handled < most)
        arm(1);
    if (jumps && handled % 2)
        siglongjmp(again, 1);
}

static void interrupted(uint32_t events, uint32_t wanted, int flags)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
    static char alternate[65536];
    stack_t stack = { .ss_sp = alternate, .ss_size = sizeof alternate };
    most = HANDLER + 20 * wanted;
    sigaltstack(&stack, NULL);
    sigaction(SIGALRM, &action, NULL);
    arm(1);
    sigsetjmp(again, 1);
    while ((value < events || handled < HANDLER + wanted || forks) && value < 20 * events
           && !is_child)
        for (int n = 0; n < 1000; n++) {
            touch(&value);
            value++;
        }
    jumps = 0;
    most = 0;
    arm(0);
    count(value, value + 10);
    printf("%u %u\n", (unsigned)value + 10, (unsigned)(handled - HANDLER));
}

static void *work(void *number)
{
    uint32_t first = (uint32_t)(uintptr_t)number * THREAD;
    count(first, first + 20000);
    return NULL;
}

static void *work_on(void *number)
{
    volatile uint32_t cell = (uint32_t)(uintptr_t)number * THREAD;
    for (;; cell++)
        touch(&cell);
    return NULL;
}

static void threads(void *(*job)(void *), int wait, uint32_t own)
{
    pthread_t ids[4];
    for (uintptr_t n = 0; n < 4; n++)
        pthread_create(&ids[n], NULL, job, (void *)(n + 1));
    count(0, own);
    for (int n = 0; wait && n < 4; n++)
        pthread_join(ids[n], NULL);
}

/* Waves of threads: later ones continue the chunks of those that have ended. */
static void *work_briefly(void *number)
{
    uint32_t first = (uint32_t)(uintptr_t)number * THREAD;
    count(first, first + 300);
    return NULL;
}

static void many(void)
{
    pthread_t ids[20];
    for (uintptr_t wave = 0; wave < 200; wave += 20) {
        for (uintptr_t n = 0; n < 20; n++)
            pthread_create(&ids[n], NULL, work_briefly, (void *)(wave + n + 1));
        for (int n = 0; n < 20; n++)
            pthread_join(ids[n], NULL);
    }
}

static void *brief(void *number)
{
    count(0, 20);
    return number;
}

static void *start_others(void *number)
{
    pthread_t other;
    while (!pthread_create(&other, NULL, brief, number))
        pthread_join(other, NULL);
    return number;
}

/* End while threads begin and end all the time. */
static void churn(int microseconds)
{
    pthread_t other;
    for (int n = 0; n < 3; n++)
        pthread_create(&other, NULL, start_others, NULL);
    usleep(microseconds);
}

static void forked(void)
{
    int status;
    count(0, 100);
    pid_t child = fork();
    if (!child) {
        count(1000, 1100);
        exit(0);
    }
    waitpid(child, &status, 0);
    count(100, 200);
    printf("%d\n", (int)child);
}

static void vforked(void)
{
    int status;
    count(0, 10);
    pid_t child = vfork();
    if (!child) {
        count(10, 20);
        _exit(0);
    }
    waitpid(child, &status, 0);
    count(20, 30);
}

static void closed(void)
{
    count(0, 10);
    for (int fd = 3; fd < 2000; fd++)
        close(fd);
    errno = 77;
    count(10, 20000);
    printf("errno %d\n", errno);
}

static void descriptors(void)
{
    errno = 77;
    count(0, 10);
    int kept = errno, first = open("/dev/null", O_RDONLY);
    printf("errno %d descriptor %d\n", kept, first);
}

__attribute__((constructor(102))) static void early(void)
{
    volatile uint32_t cell = 0x77777777;
    if (getenv("EARLY"))
        touch(&cell);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "exit";
    int wanted = argc > 2 ? atoi(argv[2]) : 2000;
    if (!strcmp(what, "exit"))
        count(0, 20000);
    else if (!strcmp(what, "long"))
        count(0, 1000 * wanted);
    else if (!strcmp(what, "kill"))
        count(0, argc > 2 ? 1000 * wanted : 20000), fflush(stdout), kill(getpid(), SIGKILL);
    else if (!strcmp(what, "abort"))
        count(0, 20000), abort();
    else if (!strcmp(what, "leave"))
        count(0, 20000), _exit(3);
    else if (!strcmp(what, "signals"))
        interrupted(150 * wanted, wanted, SA_RESTART);
    else if (!strcmp(what, "alternate"))
        interrupted(150 * wanted, wanted, SA_RESTART | SA_ONSTACK);
    else if (!strcmp(what, "jumps"))
        jumps = 1, interrupted(150 * wanted, wanted, SA_RESTART);
    else if (!strcmp(what, "forks"))
        forks = 6, interrupted(150 * wanted, wanted, SA_RESTART);
    else if (!strcmp(what, "many"))
        many();
    else if (!strcmp(what, "threads"))
        threads(work, 1, 20000);
    else if (!strcmp(what, "running"))
        threads(work_on, 0, 10 * wanted);
    else if (!strcmp(what, "churning"))
        churn(atoi(argv[2]));
    else if (!strcmp(what, "fork"))
        forked();
    else if (!strcmp(what, "vfork"))
        vforked();
    else if (!strcmp(what, "closed"))
        closed();
    else if (!strcmp(what, "descriptors"))
        descriptors();
    return 0;
}
