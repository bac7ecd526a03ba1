/* The C part of parcels.cc: callbacks, tail calls, and longjmp out of several frames. */
#include <setjmp.h>
#include <stdlib.h>

#define OWN __attribute__((noinline))

typedef int visitor(int value, void *context);
int chain(int steps, int sum);

static jmp_buf *leaving;
static volatile int compared;

OWN int walk(int depth, visitor *visit, void *context)
{
    int sum = visit(depth, context);
    if (depth > 0)
        sum += walk(depth - 1, visit, context);
    return sum + chain(depth, sum);
}

/* Jumps that end here; a walk within a walk has its own place to come back to. */
OWN int guarded_walk(int depth, visitor *visit, void *context)
{
    jmp_buf here, *volatile before = leaving;
    volatile int result = 0;
    leaving = &here;
    switch (setjmp(here)) {
    case 0:
        result = walk(depth, visit, context);
        break;
    case 3:
        leaving = before;
        result = guarded_walk(2, visit, context) + 1;
        break;
    default:
        result = -1;
    }
    leaving = before;
    return result;
}

OWN void leave_walk(int code)
{
    if (leaving)
        longjmp(*leaving, code);
}

OWN static int step(const void *one, const void *two)
{
    compared++;
    return *(const int *)one - *(const int *)two;
}

OWN int sort_numbers(int *numbers, int count)
{
    int wanted = numbers[0];
    qsort(numbers, count, sizeof numbers[0], step);
    const int *found = bsearch(&wanted, numbers, count, sizeof numbers[0], step);
    return found ? (int)(found - numbers) + compared : -1;
}

OWN static int link_(int steps, int sum) { compared++; return chain(steps - 1, sum + steps); }
OWN int chain(int steps, int sum) { compared++; return steps > 0 ? link_(steps, sum) : sum; }
