/* A program that knows its own chain of calls, and hooks (with HOOKS) that are held against it. */
#define OWN __attribute__((noipa))
#define BACK() __builtin_extract_return_addr(__builtin_return_address(0))
enum { MOST = 40 };
#ifdef HOOKS
#include <inst/backtrace.h>
#include <inst/support.h>
#pragma GCC visibility push(default)
extern void *chain[MOST];
extern int known, mark;
#pragma GCC visibility pop
static int seen, wrong;

void enterhook(inst_address function, inst_address back, inst_address stack)
{
    inst_backtrace_enter(function, back, stack);
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    (void)pc;
    inst_backtrace_leave(function, stack);
}

void stwhook(inst_address address)
{
    inst_address found[MOST];
    if (address != (inst_address)&mark)
        return;
    int count = inst_backtrace(found, MOST);
    wrong += count != known;
    for (int n = 0; n < count && n < known; n++)
        wrong += found[n] != (inst_address)chain[known - 1 - n];
    wrong += inst_backtrace(found, 1) != 1 || inst_backtrace_function(known) != 0;
    seen++;
}

void exithook(void)
{
    DPRINTF(2, "seen %d wrong %d\n", seen, wrong);
}
#else
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
void *volatile chain[MOST];
volatile int known;
volatile int mark;
static jmp_buf there;

/* A leaf function: no frame on PowerPC, no register window on SPARC. */
OWN void leaf(int number)
{
    chain[known++] = BACK();
    mark = number;
    known--;
}
OWN void tail(int number)
{
    leaf(number + 1);
}
OWN int deep(int number)
{
    chain[known++] = BACK();
    mark = number;
    leaf(number);
    int below = number > 1 ? deep(number - 1) + number : 0;
    mark = below;
    tail(below);
    known--;
    return below;
}
OWN void ends(int number)
{
    chain[known++] = BACK();
    mark = number;
    if (!number)
        longjmp(there, 1);
    ends(number - 1);
    mark = number;
}
OWN void *whole(void *argument)
{
    int before;
    chain[known++] = BACK();
    mark = deep(12);
    before = known;
    if (!setjmp(there))
        ends(7);
    known = before;
    leaf(3);
    mark = 2;
    known--;
    return argument;
}
int main(void)
{
    pthread_t thread;
    chain[known++] = BACK();
    whole(0);
    int before = known;
    void *first = chain[0];
    known = 0;
    pthread_create(&thread, 0, whole, 0);
    pthread_join(thread, 0);
    known = before;
    chain[0] = first;
    mark = 1;
    printf("done\n");
    return 0;
}
#endif
