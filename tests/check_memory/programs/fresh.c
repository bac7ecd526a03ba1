#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    unsigned flag : 3, rest : 29;
    int count;
    double value;
    char text[12];
    int unused;
};

/* Right: a bit-field in memory that holds nothing, a copy of what was not all set, calloc,
   what the C library and realloc have written, a block that is given again. */
static int right(int n)
{
    struct part *one = malloc(sizeof *one), *other = malloc(sizeof *other);
    one->flag = n;
    one->count = n;
    strcpy(one->text, "abc");
    *other = *one;
    int *zeros = calloc(8, sizeof *zeros);
    int sum = other->flag + other->count + zeros[3] + (int)strlen(other->text);
    zeros = realloc(zeros, 128);
    FILE *stream = fopen("/dev/zero", "r");
    char *read = malloc(16);
    sum += (int)fread(read, 1, 16, stream) + read[9];
    fclose(stream);
    int *again = malloc(sizeof *again);
    *again = n;
    free(again);
    again = memset(malloc(64), 1, 64);
    sum += zeros[5] + again[9];
    free(zeros);
    free(one);
    free(other);
    free(read);
    free(again);
    return sum;
}

static int wrong(int n)
{
    int *some = malloc(10 * sizeof *some), sum = 0;
    for (int i = 0; i < n; i++)
        some[i] = i;
    for (int i = 0; i <= n; i++)
        sum += some[i] & 3;         /* the last one was not set */
    free(some);
    return sum > 1000;
}

int main(int argc, char **argv)
{
    printf("%d\n", right(argc + 4));
    return argc > 1 ? wrong(argc + 4) : 0;
}
