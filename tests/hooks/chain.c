/* A program that knows its own chain of calls, against which backtraces in hooks are held. */
#define OWN __attribute__((noipa))
#define BACK() __builtin_extract_return_addr(__builtin_return_address(0))
enum { MOST = 40 };
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
