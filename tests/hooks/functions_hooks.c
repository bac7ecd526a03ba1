/* A stack of the functions that are running, held against every exit; the first entries' places. */
#include <inst/hooks.h>
#include <inst/support.h>

static struct {
    inst_address function, stack;
} running[1000];
static int depth;
static unsigned entered, left, wrong, abandoned;

static void leave_out(inst_address stack)
{
    for (; depth && running[depth - 1].stack < stack; depth--)
        abandoned++;
}

void enterhook(inst_address function, inst_address back, inst_address stack)
{
    leave_out(stack);
    running[depth].function = function;
    running[depth++].stack = stack;
    if (entered++ < 8)
        DPRINTF(2, "%lx %lx\n", (unsigned long)function, (unsigned long)back);
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    left++;
    leave_out(stack);
    wrong += pc - function > 4096;
    if (!depth || running[depth - 1].function != function || running[depth - 1].stack != stack)
        wrong++;
    else
        depth--;
}

void exithook(void)
{
    DPRINTF(2, "entered %u left %u abandoned %u wrong %u running %d\n", entered, left, abandoned,
            wrong, depth);
}
