/* Calls of all kinds, for comparison with the emulator's record of them. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN __attribute__((noipa))

static volatile int total, wanted;
static jmp_buf env;

OWN void leaf(int n) { total += n; }
OWN int pure(int n) { return n * 3 + 1; }
OWN void outer(int n) { leaf(n); leaf(n + 1); pure(n); leaf(n + 2); total++; }
OWN void tail(int n) { total++; leaf(n); }
OWN int factorial(int n) { int r; total++; r = n <= 1 ? 1 : n * factorial(n - 1); total += r; return r; }
OWN int odd(int n);
OWN int even(int n) { total++; return n == 0 ? 1 : odd(n - 1); }
OWN int odd(int n) { total++; return n == 0 ? 0 : even(n - 1); }
OWN void jumper(int n) { leaf(n); if (n > 1) longjmp(env, 1); total++; }
OWN void between(int n) { jumper(n); total++; }
OWN int setter(int n)
{
    volatile int x = n;
    if (setjmp(env)) {
        leaf(x);
        return 1;
    }
    between(x);
    leaf(3);
    return 0;
}
OWN int by_number(const void *a, const void *b) { total++; return *(const int *)a - *(const int *)b; }
OWN void sorts(void)
{
    int numbers[] = { 3, 1, 2, 5, 4 };
    qsort(numbers, 5, sizeof numbers[0], by_number);
    total += numbers[0];
}
OWN void handler(int signal) { total += signal; leaf(1); total++; }
OWN void sum(int *numbers, int count) { for (int i = 0; i < count; i++) total += numbers[i]; }

typedef void function(int);
static function *volatile table[] = { leaf, outer, tail };

int main(void)
{
    int numbers[4] = { 1, 2, 3, 4 };
    for (int i = 0; i < 3; i++) {
        outer(i);
        tail(i);
    }
    factorial(4);
    even(5);
    for (int i = 0; i < 4; i++)
        setter(i);
    sorts();
    signal(SIGUSR1, handler);
    for (int i = 0; i < 2; i++) {
        raise(SIGUSR1);
        total++;
    }
    for (int i = 0; i < 6; i++)
        table[i % 3](i);
    for (int i = 0; i < 3; i++)
        sum(numbers, i + 1);
    printf("%d\n", total);
    return wanted;
}
