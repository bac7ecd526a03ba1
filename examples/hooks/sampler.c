/* A sampler inside one function: every hundredth access that it and what it calls make.

   SAMPLE names the function, which is not static, and SAMPLE_EVERY is the interval:
   --inst-functions --inst-hooks="sampler.c -DSAMPLE=work -DSAMPLE_EVERY=10".  SAMPLER_OUT names
   the file that samples are added to; without it they go to standard error.
   `inst symbols PROGRAM < FILE` names the places. */
#include <inst/hooks.h>
#include <inst/support.h>

#include <fcntl.h>

#ifndef SAMPLE
#error "name the function: -DSAMPLE=NAME"
#endif
#ifndef SAMPLE_EVERY
#define SAMPLE_EVERY 100
#endif

/* The program's function, of which only the address is used. */
#pragma GCC visibility push(default)
extern void SAMPLE(void);
#pragma GCC visibility pop

/* The stack pointer at the entry of the outermost call of the function; 0: it is not running. */
static __thread inst_address within;
static __thread unsigned long calls, accesses;
static int file = 2;

static inst_address sampled(void)
{
#if defined(__powerpc64__) && _CALL_ELF != 2
    return *(const inst_address *)&SAMPLE;      /* a pointer to a function leads to its descriptor */
#else
    return (inst_address)&SAMPLE;
#endif
}

void inithook(void)
{
    const char *name = GETENV("SAMPLER_OUT");
    int opened = name ? OPEN(name, O_WRONLY | O_CREAT | O_APPEND, 0600) : 2;
    file = opened < 0 ? 2 : opened;
    DPRINTF(file, "samples of process %d base=%#lx\n", GETPID(), (unsigned long)getbase());
}

/* A call that longjmp or an exception has ended is detected by the stack pointer. */
void enterhook(inst_address function, inst_address back, inst_address stack)
{
    (void)back;
    if (within && stack >= within)
        within = 0;
    if (!within && function == sampled()) {
        within = stack;
        calls++;
    }
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    (void)pc;
    if (stack > within || (stack == within && function == sampled()))
        within = 0;
}

static void sample(const char *kind, int size, inst_address address, inst_address pc)
{
    DPRINTF(file, "%lu %s %d %#lx at %#lx\n", accesses, kind, size, (unsigned long)address,
            (unsigned long)pc);
}

#define HOOK(NAME, KIND, SIZE)                                       \
    void NAME(inst_address address, inst_address pc)                 \
    {                                                                \
        if (within && ++accesses % SAMPLE_EVERY == 0)                \
            sample(KIND, SIZE, address, pc);                         \
    }
HOOK(ldbhook, "load", 1)
HOOK(ldhhook, "load", 2)
HOOK(ldwhook, "load", 4)
HOOK(lddhook, "load", 8)
HOOK(ldqhook, "load", 16)
HOOK(stbhook, "store", 1)
HOOK(sthhook, "store", 2)
HOOK(stwhook, "store", 4)
HOOK(stdhook, "store", 8)
HOOK(stqhook, "store", 16)

void exithook(void)
{
    DPRINTF(file, "%lu calls, %lu accesses\n", calls, accesses);
}
