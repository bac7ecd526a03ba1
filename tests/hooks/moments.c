/* Hooks that watch when they are called: the first and the last, and a window of so many counts. */
#include <inst/hooks.h>
#include <inst/support.h>

enum { WINDOW = 100 };

static unsigned inits, exits, windows, accesses, wrong;

void inithook(void)
{
    wrong += accesses != 0;
    inits++;
    setsic(WINDOW);
}

/* Called at the count that ends a window, and by no other way twice. */
void windowhook(void)
{
    windows++;
    wrong += getsic() != 0 || getflag() != 0;
    setsic(WINDOW);
}

static void access(void)
{
    accesses++;
    wrong += inits != 1 || exits != 0;
}

void ldbhook(void) { access(); }
void ldhhook(void) { access(); }
void ldwhook(void) { access(); }
void lddhook(void) { access(); }
void stbhook(void) { access(); }
void sthhook(void) { access(); }
void stwhook(void) { access(); }
void stdhook(void) { access(); }

void exithook(void)
{
    exits++;
    DPRINTF(2, "inits %d exits %d windows %d left %d accesses %d wrong %d\n", inits, exits,
            windows, getsic(), accesses, wrong);
}
