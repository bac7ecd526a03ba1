/* A list whose last node was written over: going through it traps.  The ring shows who wrote there. */
#include "board.h"

struct node {
    struct node *next;
    int value;
};

enum { NODES = 8 };
static struct node nodes[NODES];
static char names[4][8];

static void connect(void)
{
    for (int n = 0; n < NODES; n++) {
        nodes[n].value = n;
        nodes[n].next = n + 1 < NODES ? &nodes[n + 1] : 0;
    }
}

/* The bug: a name of eight characters and its end are nine. */
__attribute__((noinline)) static void name(char *at, const char *text)
{
    while ((*at++ = *text++))
        ;
}

__attribute__((noinline)) static int sum(const struct node *node)
{
    int total = 0;
    for (; node; node = node->next)
        total += node->value;
    return total;
}

int main(void)
{
    board_print("crash\n");
    connect();
    for (int round = 0; round < 1000; round++)
        names[round & 3][0] = sum(nodes);
    name((char *)&nodes[5].next, "\xde\xad\xbe\xe1 scribbled");
    board_print_number(sum(nodes));
    board_halt();
}
