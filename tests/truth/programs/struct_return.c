/* Structures returned: small, large, unions, through pointers, in chains of calls. */
#include <stdio.h>

struct small { char c; };
struct pair { int a, b; };
struct complex { double re, im; };
struct big { int at[17]; struct pair p; };
union either { int i; float f; };

static struct small make_small(int n) { struct small s = {(char)n}; return s; }
static struct pair make_pair(int a, int b) { struct pair p = {a, b}; return p; }
static struct complex multiply(struct complex x, struct complex y)
{
    struct complex r = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
    return r;
}
static struct big fill(struct pair p)
{
    struct big b;
    for (int i = 0; i < 17; i++)
        b.at[i] = p.a * i + p.b;
    b.p = p;
    return b;
}
static struct big shifted(struct big b, int by)
{
    for (int i = 16; i >= by; i--)
        b.at[i] = b.at[i - by];
    return b;
}
static union either make_float(float f) { union either e; e.f = f; return e; }

int main(void)
{
    struct complex z = {0, 1}, w = {0.5, 0.25};
    for (int i = 0; i < 6; i++)
        z = multiply(multiply(z, w), z);
    struct big b = shifted(shifted(fill(make_pair(3, 4)), 5), 2);
    struct pair (*maker)(int, int) = make_pair;
    unsigned sum = (unsigned)maker(5, 6).b;
    for (int i = 0; i < 17; i++)
        sum = sum * 5 + (unsigned)b.at[i];
    printf("%u %d %.9f %.9f %c %.2f\n", sum, b.p.a, z.re, z.im, make_small('k').c, make_float(2.5f).f);
    return 0;
}
