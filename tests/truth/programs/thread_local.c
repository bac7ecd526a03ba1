/* Thread-local variables of one thread, addressed through the thread pointer. */
#include <stdio.h>

static __thread int calls;
static __thread char label[10] = "abcdefghi";
__thread long long total = 40;
static __thread double *held;
static __thread struct { short a, b; } pairs[6];

static __attribute__((noinline)) void bump(int by)
{
    calls++;
    total += by * (long long)calls;
    label[calls % 9]++;
    pairs[calls % 6].a += (short)by;
    pairs[calls % 6].b -= pairs[(calls + 1) % 6].a;
}

int main(void)
{
    double value = 0.5;
    held = &value;
    for (int i = 0; i < 30; i++) {
        bump(i * i);
        *held += pairs[i % 6].a;
    }
    printf("%d %lld %s %.1f %d\n", calls, total, label, value, pairs[3].b);
    return 0;
}
