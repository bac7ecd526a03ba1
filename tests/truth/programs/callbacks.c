/* Function pointers in tables, as arguments, as results. */
#include <stdio.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }
static int lower(int a, int b) { return a < b ? a : b; }

static const struct {
    const char *name;
    operation run;
} table[] = {{"add", add}, {"subtract", subtract}, {"multiply", multiply}, {"lower", lower}};

static operation choose(int i)
{
    return table[i & 3].run;
}

static int fold(const int *at, int count, int start, operation run)
{
    for (int i = 0; i < count; i++)
        start = run(start, at[i]);
    return start;
}

int main(void)
{
    int numbers[10];
    for (int i = 0; i < 10; i++)
        numbers[i] = i * 3 - 11;
    for (int i = 0; i < 4; i++)
        printf("%s %d\n", table[i].name, fold(numbers, 10, 1, table[i].run));
    operation held[6];
    for (int i = 0; i < 6; i++)
        held[i] = choose(i * 7);
    int value = 5;
    for (int i = 0; i < 6; i++)
        value = held[i](value, i);
    printf("%d\n", value);
    return 0;
}
