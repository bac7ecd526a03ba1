/* Calls, switches, threads and atomics. */
#include <alloca.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern __thread int external;
static __thread int local;
extern int other(int);
extern int global;
_Atomic int word;
_Atomic char byte;
_Atomic short half;
_Atomic long long pair;

int threads(void) { return external++ + local--; }

int *thread_address(void) { return &external; }

int variadic(int n, ...) {
    va_list list;
    va_start(list, n);
    int sum = 0;
    for (int i = 0; i < n; i++) sum += va_arg(list, int);
    sum += va_arg(list, double);
    va_end(list);
    return sum;
}

int switches(int x) {
    switch (x) {
    case 0: return other(3);
    case 1: return 5;
    case 2: return other(x) + 1;
    case 3: return 77;
    case 4: return other(9);
    case 5: return 4;
    case 6: return other(x * 3);
    default: return x;
    }
}

void atomics(void) {
    word++;
    byte |= 3;
    atomic_fetch_add(&half, 3);
    int expected = 4;
    atomic_compare_exchange_strong(&word, &expected, 7);
    pair += 2;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_thread_fence(memory_order_acquire);
    atomic_store(&word, 3);
    byte = atomic_exchange(&byte, 2);
}

int strings(const char *a, const char *b) { return strcmp(a, b) + (int)strlen(a) + memcmp(a, b, 7); }

int prints(int n) {
    char *p = alloca(n);
    p[0] = 1;
    return printf("%s %f %d\n", p, 1.0, global);
}

int pointers(int (*f)(int), int x) { return f(x) + f(x + 1); }

int tail(int (*f)(int), int x) { return f(x); }

int saves(int a, int b, int c) {
    int r[9], x = 0;
    for (int i = 0; i < 9; i++) r[i] = other(i * a + b);
    for (int i = 0; i < 9; i++) x += r[i] * other(i) - c;
    return x;
}

void conditions(int *a) {
    if ((a[0] > 1 && a[1] < 2) || (a[3] == 4 && a[7] != 9)) other(1);
    for (int i = 0; i < a[3]; i++) {
        if (a[i]) {
            other(i);
            continue;
        }
        a[i] = i / 7 + i % 10;
    }
}

void traps(int *p) {
    if (!p) __builtin_trap();
    *p = 1;
}

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

void sorts(int *a, int n) { qsort(a, n, sizeof *a, order); }

#ifndef __clang__
int nested(int n) {
    int inner(int k) { return k + n; }
    int (*volatile f)(int) = inner;
    return f(4);
}
#endif
