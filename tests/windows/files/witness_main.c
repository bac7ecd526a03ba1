/* Drive witness.S: down and up again, out by longjmp from the bottom, and once more. */
#include <setjmp.h>
#include <stdio.h>

extern unsigned depth, crowded;
void descend(void);
void (*at_bottom)(void);
static jmp_buf top;

static void stay(void) { }
static void leap(void) { longjmp(top, 1); }

int main(void)
{
    for (int round = 0; round < 5; round++) {
        at_bottom = round & 1 ? leap : stay;
        if (!setjmp(top))
            descend();
        depth = 0;
    }
    printf("%u\n", crowded);
    return 0;
}
