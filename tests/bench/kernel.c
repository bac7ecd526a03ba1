/* Sorts an array in five ways, as often as its argument says. */
#include <stdlib.h>

static int rounds;

#define SCALE rounds
#define main sort
#include "../truth/programs/sorting.c"
#undef main

int main(int count, char **arguments)
{
    rounds = count > 1 ? atoi(arguments[1]) : 1;
    return sort();
}
