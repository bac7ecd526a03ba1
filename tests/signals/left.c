/* Leaves handlers on the alternate stack by siglongjmp, again and again. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static sigjmp_buf place;
static volatile int seen, left;
static char room[65536];

static void leave(int number)
{
    (void)number;
    left++;
    siglongjmp(place, 1);
}

static __attribute__((noinline)) void enter(void)
{
    if (!sigsetjmp(place, 1)) {
        seen++;
        *(volatile int *)0 = 1;
    }
}
int main(void)
{
    stack_t stack;
    struct sigaction action;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = room;
    stack.ss_size = sizeof room;
    sigaltstack(&stack, 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = leave;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, 0);
    for (int n = 0; n < 400; n++)
        enter();
    printf("%d %d\n", seen, left);
    return 0;
}
