/* gcc's labels as values: an interpreter that jumps through a table of addresses. */
#include <stdio.h>

static int memory[16];

static int interpret(const unsigned char *code)
{
    static const void *const labels[] = {&&load, &&store, &&add, &&decrement, &&loop, &&stop};
    int accumulator = 0, steps = 0;
    const unsigned char *at = code;
#define NEXT goto *labels[*at++]
    NEXT;
load:
    accumulator = memory[*at++];
    NEXT;
store:
    memory[*at++] = accumulator;
    NEXT;
add:
    accumulator += memory[*at++];
    steps++;
    NEXT;
decrement:
    memory[*at++]--;
    NEXT;
loop:
    if (memory[*at++])
        at -= *at;
    else
        at++;
    NEXT;
stop:
    return accumulator * 1000 + steps;
}

int main(void)
{
    static const unsigned char fibonacci[] = {0, 1, 2, 2, 1, 3, 0, 2, 1, 1, 0, 3, 1, 2, 3, 4, 4, 4, 16, 0, 3, 5};
    memory[1] = 0;
    memory[2] = 1;
    memory[4] = 20;
    printf("%d\n", interpret(fibonacci));
    return 0;
}
