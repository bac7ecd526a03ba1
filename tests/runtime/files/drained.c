/* A program whose recording another process empties: argument 1 says how it goes on at its end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 100000 };
static volatile unsigned cells[256];

static unsigned work(unsigned rounds)
{
    unsigned value = 1, sum = 0;
    for (unsigned n = 0; n < rounds; n++) {
        value = value * 1103515245 + 12345;
        cells[value >> 24] = value;
        sum += cells[n & 255];
    }
    return sum;
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    unsigned sum = work(ROUNDS);
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "exec"))
        execl("/bin/true", "true", (char *)0);
    if (!strcmp(how, "outlive") && fork() == 0) {
        while (access("go", F_OK))
            usleep(10000);
        sum += work(ROUNDS);
    }
    printf("%u\n", sum);
    return 0;
}
