/* Hooks that set a thread variable while they run; signal hooks check what they are passed. */
#include <inst/hooks.h>

struct counts {
    unsigned plain, special, wrong, unknown, by_hook[64];
};
struct counts signal_counts __attribute__((visibility("default")));
static __thread volatile int running;

static __attribute__((noinline)) void work(int id, int depth)
{
    volatile int room[8];
    for (int n = 0; n < 8; n++)
        room[n] = n + id;
    if (depth)
        work(room[1] - 1, depth - 1);
}

#define HOOK(NAME, ID)          \
    void NAME(void)             \
    {                           \
        int before = running;   \
        running = ID;           \
        work(ID, 3);            \
        running = before;       \
    }
HOOK(ldbhook, INST_LDBHOOK)
HOOK(ldhhook, INST_LDHHOOK)
HOOK(ldwhook, INST_LDWHOOK)
HOOK(lddhook, INST_LDDHOOK)
HOOK(stbhook, INST_STBHOOK)
HOOK(sthhook, INST_STHHOOK)
HOOK(stwhook, INST_STWHOOK)
HOOK(stdhook, INST_STDHOOK)

void signalhook_special(int hook, int sic, int signal)
{
    (void)sic, (void)signal;
    signal_counts.special++;
    signal_counts.by_hook[hook & 63]++;
    if (getflag() != hook)
        signal_counts.wrong++;
    if (!running)
        signal_counts.unknown++;
    else if (hook != running)
        signal_counts.wrong++;
}

void signalhook(int sic, int signal)
{
    (void)sic, (void)signal;
    signal_counts.plain++;
    if (running || getflag())
        signal_counts.wrong++;
}
