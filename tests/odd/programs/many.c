/* Constructors, thread-local variables, an ifunc, contexts and jumps in one program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#ifndef TLS
#define TLS
#endif
static __thread int counted TLS = 3;
__thread int shared_count TLS = 5;
static int constructed;

__attribute__((constructor)) static void construct(void) { constructed += 7; }
__attribute__((destructor)) static void destruct(void) { printf("end %d\n", constructed); }

static int jump(int n)
{
    static const void *const places[] = {&&a, &&b, &&c};
    goto *places[n % 3];
a:  return n + 1;
b:  return n * 2;
c:  return n - 3;
}

__attribute__((unused)) static int never_called(int n) { return n * constructed; }

static ucontext_t here, there;
static void other(void)
{
    counted++;
    swapcontext(&there, &here);
    counted += 10;
}

static int sum(int n, ...)
{
    va_list list;
    int total = 0;
    va_start(list, n);
    while (n--)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

int main(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    jmp_buf back;
    char *text = malloc(40);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, other, 0);
    swapcontext(&here, &there);
    swapcontext(&here, &there);
    volatile int turns = 0;
    if (setjmp(back) < 3)
        longjmp(back, ++turns);
    strcpy(text, "text on the heap");
    int nested(int n) { return n + turns + counted; }
    int (*volatile call)(int) = nested;
    printf("%d %d %d %d %d %s\n", counted, shared_count, turns, call(2), sum(3, 1, 2, 3), text);
    for (int n = 0; n < 6; n++)
        printf("%d ", jump(n));
    printf("%d\n", constructed);
    return constructed + counted;
}
