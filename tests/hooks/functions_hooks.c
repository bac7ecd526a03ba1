/* A stack of the functions that are running, held against every exit; the first entries' places.
   Where the program knows its chain of calls (chain.c), backtraces are held against that. */
#include <inst/backtrace.h>
#include <inst/support.h>

enum { MOST = 40 };
#pragma GCC visibility push(default)
extern void *volatile chain[MOST] __attribute__((weak));
extern volatile int known __attribute__((weak)), mark __attribute__((weak));
#pragma GCC visibility pop

static __thread struct {
    inst_address function, stack;
} running[200];
static __thread int depth;
static unsigned seen, different;
static unsigned entered, left, wrong, abandoned;

static void leave_out(inst_address stack)
{
    for (; depth && running[depth - 1].stack < stack; depth--)
        abandoned++;
}

void enterhook(inst_address function, inst_address back, inst_address stack)
{
    inst_backtrace_enter(function, back, stack);
    leave_out(stack);
    running[depth].function = function;
    running[depth++].stack = stack;
    if (entered++ < 8)
        DPRINTF(2, "%lx %lx\n", (unsigned long)function, (unsigned long)back);
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    left++;
    inst_backtrace_leave(function, stack);
    leave_out(stack);
    wrong += pc - function > 4096;
    if (!depth || running[depth - 1].function != function || running[depth - 1].stack != stack)
        wrong++;
    else
        depth--;
}

void stwhook(inst_address address)
{
    inst_address found[MOST];
    if (!&mark || address != (inst_address)&mark)
        return;
    int count = inst_backtrace(found, MOST);
    different += count != known;
    for (int n = 0; n < count && n < known; n++)
        different += found[n] != (inst_address)chain[known - 1 - n];
    different += inst_backtrace(found, 1) != 1 || inst_backtrace_function(known) != 0;
    seen++;
}

void exithook(void)
{
    if (&mark)
        DPRINTF(2, "seen %u different %u\n", seen, different);
    DPRINTF(2, "entered %u left %u abandoned %u wrong %u running %d\n", entered, left, abandoned,
            wrong, depth);
}
