/* Labels as values, and with an argument traps, after which handlers go on (PowerPC).  */
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static volatile int traps;

static void skip(int number, siginfo_t *information, void *context)
{
    (void)number;
    (void)information;
    ucontext_t *interrupted = context;
    traps++;
#ifdef __powerpc64__
    interrupted->uc_mcontext.gp_regs[32] += 4;
#elif defined __powerpc__
    interrupted->uc_mcontext.uc_regs->gregs[32] += 4;
#endif
}

static __attribute__((noinline)) int run(const unsigned char *code, int *stack)
{
    static void *const names[] = { &&push, &&add, &&mul, &&dup, &&end };
    int *top = stack;
    unsigned a = 1, b = 2, c = 3, d = 4;
#define NEXT goto *names[*code++]
    NEXT;
push:
    *top++ = *code++;
    a += b;
    NEXT;
add:
    top--;
    top[-1] += top[0];
    b += c;
    NEXT;
mul:
    top--;
    top[-1] *= top[0];
    c += d;
    NEXT;
dup:
    *top = top[-1];
    top++;
    d += a;
    NEXT;
end:
    return top[-1] + a + b + c + d;
}

/* A place beyond the first array: compilers make a conditional trap of the check, and go on.  */
static struct {
    int first[4], more[4];
} both = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };

static __attribute__((noinline)) int pick(unsigned n, int a, int b, int c)
{
    both.first[3] += a;
    int found = both.first[n];
    return found * b + c - a;
}

static __attribute__((noinline)) int relative(int n, int *at)
{
    static const int places[] = { &&one - &&one, &&two - &&one, &&three - &&one };
    int sums = at[0] ^ at[1];
    goto *(&&one + places[n]);
one:
    at[0] += sums;
two:
    at[1] -= sums;
    return at[1];
three:
    return at[2] ^ sums;
}

int main(int count, char **words)
{
    static const unsigned char code[] = { 0, 5, 3, 1, 0, 7, 2, 3, 2, 4 };
    int stack[8], at[] = { 1, 2, 3 };
    int beyond = 0;
    (void)words;
#ifdef __powerpc__
    struct sigaction action = { .sa_sigaction = skip, .sa_flags = SA_SIGINFO };
    sigaction(SIGTRAP, &action, 0);
    sigaction(SIGILL, &action, 0);      /* the emulator's, in 64-bit programs */
    beyond = count > 1 ? 4 : 0;
#endif
    int all = 0;
    for (int n = 0; n < 4; n++)
        all += pick(n + beyond, n + 1, n + 2, n + 3);
    printf("%d %d %d\n", run(code, stack), all, traps);
    for (int n = 0; n < 3; n++)
        printf("%d\n", relative(n, at));
    return 0;
}
