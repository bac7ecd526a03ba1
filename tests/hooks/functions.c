/* Functions that end in many ways; each counts its calls, which the hooks have to see. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN(A, B) A##B
#define NAME2(PART, WORD) JOIN(PART, WORD)
#define F(WORD) NAME2(PART, _##WORD)
#define OWN __attribute__((noipa))

extern unsigned calls;
extern jmp_buf there;

OWN int F(leaf)(int x)
{
    calls++;
    return x * 3 + 1;
}
OWN int F(cond)(int *p)
{
    calls++;
    if (!p)
        return 0;
    *p += 1;
    return F(leaf)(*p);
}
OWN int F(quiet)(int *p, int *q)
{
    calls++;
    if (*p > 3)
        *q = 5;
    return 0;
}
OWN int F(tail)(int x)
{
    calls++;
    return F(leaf)(x + 1);
}
OWN int F(indirect)(int x, int (*f)(int))
{
    calls++;
    return f(x);
}
OWN int F(ten)(int a, int b, int c, int d, int e, int f, int g, int h, int i, double j)
{
    calls++;
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + (int)j;
}
struct big {
    int a[20];
};
OWN struct big F(make)(int x)
{
    struct big b;
    calls++;
    for (int i = 0; i < 20; i++)
        b.a[i] = x + i;
    return b;
}
OWN int F(table)(int x, int y)
{
    calls++;
    switch (x) {
    case 0: return F(leaf)(y);
    case 1: return F(tail)(y);
    case 2: y += 7; break;
    case 3: y *= 2; break;
    case 4: y -= 3; break;
    case 5: return F(indirect)(y, F(leaf));
    case 6: y ^= 9; break;
    case 7: return y / 3;
    }
    return y + 1;
}
OWN int F(labels)(const unsigned char *p)
{
    static void *const to[] = { &&one, &&three, &&less, &&end };
    int s = 0;
    calls++;
    goto *to[*p++];
one:
    s += 1;
    goto *to[*p++];
three:
    s *= 3;
    goto *to[*p++];
less:
    s -= 2;
    goto *to[*p++];
end:
    return s;
}
void F(jumps)(int n);
static void (*volatile F(again))(int) = F(jumps);
OWN void F(jumps)(int n)
{
    calls++;
    if (n == 0)
        longjmp(there, 5);
    F(again)(n - 1);
    F(leaf)(n);
}
OWN int F(deep)(int n)
{
    volatile char b[50];
    calls++;
    b[3] = n;
    return n ? F(deep)(n - 1) + b[3] : 0;
}
OWN double F(floats)(double a, float b)
{
    calls++;
    return a * b + F(leaf)((int)a);
}
OWN int F(compare)(const void *a, const void *b)
{
    calls++;
    return *(const int *)a - *(const int *)b;
}
OWN int F(nested)(int x)
{
    __attribute__((noipa)) int in(int y)
    {
        calls++;
        return y + x;
    }
    calls++;
    return F(indirect)(3, in) + in(x);
}
OWN long F(grows)(int n)
{
    calls++;
    char *p = __builtin_alloca(n);
    memset(p, 1, n);
    return p[n - 1] + F(leaf)(n);
}
OWN int F(array)(int n)
{
    volatile int b[40];
    calls++;
    b[n] = n;
    return b[n] + b[n];
}
OWN int F(rare)(int x)
{
    calls++;
    if (__builtin_expect(x > 5, 0)) {
        F(quiet)(&x, &x);
        return F(leaf)(x);
    }
    return x;
}
OWN int F(all)(int x)
{
    int a[] = { 5, 3, 9, 1 }, v = x;
    volatile int total = 0;
    calls++;
    total += F(leaf)(1) + F(cond)(0) + F(cond)(&v) + F(tail)(3) + F(indirect)(6, F(tail));
    total += F(ten)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10.5) + F(make)(4).a[7] + F(quiet)(&a[0], &a[1]);
    for (int i = 0; i < 9; i++)
        total += F(table)(i, i) + F(rare)(i);
    total += F(labels)((const unsigned char *)"\0\1\2\1\3");
    if (setjmp(there) == 0)
        F(jumps)(5);
    else
        total += 1000;
    total += F(deep)(20) + (int)F(floats)(2.5, 3.0f) + F(nested)(4) + F(grows)(100) + F(array)(3);
    qsort(a, 4, sizeof *a, F(compare));
    return total + a[0];
}

#ifdef MAIN
unsigned calls;
jmp_buf there;
int unoptimised_all(int), optimised_all(int), small_all(int);

int main(void)
{
    calls++;
    printf("%d ", unoptimised_all(3));
    printf("%d ", optimised_all(3));
    printf("%d\n", small_all(3));
    printf("%u calls\n", calls);
    return 0;
}
#endif
