/* Contexts switched by hand: from callbacks of other code, out of depth, and among each other. */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#if defined __sparc__ && defined __arch64__
enum { LINKS = 0 }; /* the emulator ends a program whose context returns to another */
#else
enum { LINKS = 1 };
#endif
enum { CONTEXTS = 3, STACK = 1 << 16 };
static ucontext_t contexts[CONTEXTS + 1], *const home = contexts + CONTEXTS;
static char stacks[CONTEXTS][STACK] __attribute__((aligned(16)));
static volatile int turn, steps, sums[CONTEXTS], is_done[CONTEXTS];
static volatile double mean;

static void __attribute__((noinline)) yield_to(ucontext_t *from, ucontext_t *to)
{
    steps++;
    swapcontext(from, to);
    steps++;
}

static int compare(const void *a, const void *b)
{
    int own = turn;
    int one = *(const int *)a, two = *(const int *)b;
    int next = (own + 1) % CONTEXTS;
    if (steps < 300 && !is_done[next]) {
        turn = next;
        yield_to(&contexts[own], &contexts[turn]);
        turn = own;
    }
    return (one > two) - (one < two);
}

static double __attribute__((noinline)) deep(int depth, int own, double scale)
{
    int numbers[5] = {depth, own * 3, 2, depth ^ 5, 1};
    double before = scale * depth;
    if (!depth) {
        qsort(numbers, 5, sizeof *numbers, compare);
        yield_to(&contexts[own], home);
        turn = own;
        return numbers[0] + scale;
    }
    double found = deep(depth - 1, own, scale + 0.5);
    sums[own] += numbers[0] + depth;
    return found + before;
}

static void run(void)
{
    int own = turn;
    for (int n = 1; n < 6; n++)
        mean = mean / 2 + deep(n * 2, own, own + 0.25);
    is_done[own] = 1;
    if (own == 1 || !LINKS)
        setcontext(home);
}

int main(void)
{
    int ended = 0;
    for (int n = 0; n < CONTEXTS; n++) {
        getcontext(&contexts[n]);
        contexts[n].uc_stack.ss_sp = n == 2 ? malloc(STACK) : stacks[n];
        contexts[n].uc_stack.ss_size = STACK;
        contexts[n].uc_link = home;
        makecontext(&contexts[n], run, 0);
    }
    for (int n = 0; n < 90; n++) {
        turn = n % CONTEXTS;
        ended += steps;
        if (!is_done[turn])
            yield_to(home, &contexts[turn]);
    }
    printf("%d %d %d %d %d %.6f\n", ended, steps, sums[0], sums[1], sums[2], mean);
    return 0;
}
