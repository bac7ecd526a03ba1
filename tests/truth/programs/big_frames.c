/* Stack frames larger than any immediate offset reaches. */
#include <stdio.h>
#include <string.h>

static int middle(const int *at)
{
    return at[5000];
}

static int large(int seed)
{
    char low[9000];
    int numbers[10001];
    char high[70000];
    memset(low, seed, 100);
    for (int i = 0; i < 10001; i += 250)
        numbers[i] = i * seed;
    numbers[5000] += low[50];
    high[0] = 1;
    high[69999] = (char)seed;
    high[35000] = (char)(high[0] + high[69999]);
    return middle(numbers) + high[35000] + numbers[10000] + (seed ? large(seed - 1) : 0);
}

static int next(void)
{
    static int number;
    return number++;
}

/* Its frame is made where every register may be an argument of the call. */
static int without_arguments(void)
{
    char room[100000];
    int number = next();
    room[number] = (char)number;
    return room[number] + next();
}

int main(void)
{
    printf("%d\n", large(5));
    printf("%d\n", without_arguments());
    return 0;
}
