/* Pauses the recording at several depths of calls; pause and resume are one line of code each, with
   an access on either side. */
#include <inst/annotate.h>
#include <stdio.h>

static volatile int before, after;
static int table[97];

__attribute__((noinline)) static void pause_here(void)
{
    before++;
    INST_PAUSE();
    after++;
}

__attribute__((noinline)) static void resume_here(void)
{
    before--;
    INST_RESUME();
    after--;
}

__attribute__((noinline)) static int mix(int seed)
{
    for (int n = 0; n < 97; n++)
        table[n] = table[(n * 7 + 3) % 97] * 5 + seed * n;
    return table[(unsigned)seed % 97];
}

__attribute__((noinline)) static int deep(int depth, void (*turn)(void))
{
    volatile int here = depth;
    if (depth)
        return deep(depth - 1, turn) + here;
    turn();
    return here + mix(3);
}

__attribute__((noinline)) static int loop(int count)
{
    int sum = 0;
    for (int n = 0; n < count; n++) {
        if (n % 5 == 1)
            pause_here();
        sum += mix(n) + table[n];
        if (n % 5 == 3)
            resume_here();
        table[n] ^= sum;
    }
    return sum;
}

int main(void)
{
    int sum = mix(1);
    sum += loop(20);
    sum += deep(5, pause_here);
    sum += mix(2);
    sum += deep(7, resume_here);
    pause_here();
    pause_here();
    sum += mix(4);
    resume_here();
    resume_here();
    for (int n = 0; n < 300; n++) {     /* more often than a chunk has runs */
        pause_here();
        table[n % 97] += n;
        resume_here();
        table[n % 89]++;
    }
    printf("%d %d %d\n", sum, before, after);
    return 0;
}
