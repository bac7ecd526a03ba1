/* Leaves stacks for others by assembly and by __builtin_longjmp, whose buffers lie in frames left. */
#include <stdio.h>
#include <string.h>

int leaving_load(int flag, long *words);
int leaving_move(int flag, long *words);
int leaving_pair(int flag, long *words);

static void *buffer[8];
static volatile int depth = 3;

__attribute__((noinline)) static void jump(int more)
{
    void *own[8];
    volatile int room[20];
    for (int n = 0; n < 20; n++)
        room[n] = more + n;
    memcpy(own, buffer, sizeof own);
    if (more && room[3])
        jump(more - 1);
    __builtin_longjmp(own, 1);
}

__attribute__((noinline)) static int catches(int seed)
{
    volatile int kept = seed * 3;
    if (__builtin_setjmp(buffer))
        return kept + depth;
    jump(depth);
    return -1;
}

int main(void)
{
    int (*const functions[])(int, long *) = { leaving_load, leaving_move, leaving_pair };
    for (int n = 0; n < 6; n++) {
        long words[20] = { 1000 + n, 7 };
        int result = functions[n / 2](n % 2, words);
        printf("%d: %d %lx %lx %d\n", n, result, words[64 / sizeof *words], words[72 / sizeof *words],
               catches(n));
    }
    return 0;
}
