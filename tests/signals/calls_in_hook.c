/* A hook library: its hook calls another function, and signals are counted by where they came. */
#include <inst/hooks.h>
#include <stdio.h>

static unsigned in_hook, elsewhere;
static volatile unsigned calls;

__attribute__((noinline)) static unsigned count(unsigned number)
{
    return calls += number;
}

void ldwhook(inst_address address, inst_address pc, uint32_t value)
{
    static unsigned (*volatile function)(unsigned) = count;
    calls = function(1) + function((unsigned)(address ^ pc ^ value) & 1);
}

void signalhook_special(int hook, int sic, int signal)
{
    (void)sic;
    (void)signal;
    in_hook += hook == INST_LDWHOOK;
}

void signalhook(int sic, int signal)
{
    (void)sic;
    (void)signal;
    elsewhere++;
}

void exithook(void)
{
    fprintf(stderr, "signals in the hook: %u, elsewhere: %u\n", in_hook, elsewhere);
}
