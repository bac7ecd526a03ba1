/* Hints all the time, and besides either a clock whose handler is reported in words too, or, with an
   argument, children that hint while other threads of their parent do. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<inst/annotate.h>)
#include <inst/annotate.h>
#else
#define INST_HINT(kind, location, value) ((void)0)
#endif

enum { TICKS = 300, CHILDREN = 40, PATIENCE = 5000 };

static volatile int ticks, over;

static void hint(void)
{
    INST_HINT("a word that takes a while to look up", &ticks, 1);
}

/* Stops the clock itself: on a slow machine it may go on before anything else does. */
static void on_alarm(int number)
{
    static struct itimerval never;
    (void)number;
    if (++ticks == TICKS)
        setitimer(ITIMER_REAL, &never, NULL);
}

static void hear_clock(void)
{
    struct itimerval often = { { 0, 300 }, { 0, 300 } };
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    while (ticks < TICKS)
        hint();
}

static void *keep_hinting(void *unused)
{
    while (!over)
        hint();
    return unused;
}

static int fork_children(void)
{
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, keep_hinting, NULL);
    for (int n = 0; n < CHILDREN; n++) {
        int status = -1, milliseconds = 0;
        pid_t child = fork();
        if (!child) {
            hint();
            _exit(0);
        }
        while (!waitpid(child, &status, WNOHANG) && milliseconds++ < PATIENCE)
            usleep(1000);
        if (status) {
            kill(child, SIGKILL);
            return status;
        }
    }
    over = 1;
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1 && fork_children())
        return 1;
    if (count == 1)
        hear_clock();
    puts("done");
    return 0;
}
