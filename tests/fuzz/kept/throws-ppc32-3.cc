/* | g++ -O2 | fixed record loads no-counter parts
   | clang++ -O2 | pie record loads no-counter parts */
#include <csetjmp>
#include <cstdio>

/* Control comes back past functions that have not restored what they saved: callers read it. */
static unsigned cells[4];
static jmp_buf back;

struct Guard {
    ~Guard() { cells[1]++; }
};

static void __attribute__((noinline)) leave(unsigned number, bool jumps)
{
    if (number % 3 == 0)
        return;
    if (jumps)
        longjmp(back, 1);
    throw number;
}

/* Needs many registers, of each kind that calls preserve. */
static unsigned __attribute__((noinline)) busy(unsigned number, bool jumps)
{
    Guard guard;
    unsigned a = cells[0], b = cells[1], c = cells[2], d = cells[3], e = a ^ number, f = b + c;
    unsigned g = c * 5, h = d | 3, i = e + f, j = f * g, k = g ^ h, l = h - i;
    double x = a + 0.5, y = b * 1.5, z = c - 2.5;
    bool odd = number & 1;
    for (unsigned n = 0; n < 3; n++) {
        leave(number + n, false);
        a += b, b ^= c, c += d, d *= 3, e -= f, f += g, g ^= h, h += i, i -= j, j ^= k, k += l;
        x += y, y -= z, z *= 0.5;
        if (odd)
            l++;
    }
    leave(number, jumps);
    return a + b + c + d + e + f + g + h + i + j + k + l + unsigned(x + y + z);
}

static unsigned __attribute__((noinline)) busier(unsigned number)
{
    unsigned a = cells[0], b = cells[1], c = cells[2], d = cells[3], e = a - number, f = b ^ c;
    double x = a + 0.25;
    for (unsigned n = 0; n < 3; n++) {
        leave(number * 3, false);
        a ^= b, b += c, c ^= d, d += e, e ^= f, f += a, x *= 0.75;
    }
    leave(number, true);
    return a + b + c + d + e + f + unsigned(x);
}

/* These use next to none themselves. */
static unsigned __attribute__((noinline)) catches(unsigned number)
{
    try {
        return busy(number, false);
    } catch (unsigned thrown) {
        return thrown;
    }
}

static unsigned __attribute__((noinline)) returns_twice(unsigned number)
{
    if (setjmp(back))
        return 7;
    return busier(number);
}

int main()
{
    unsigned a = cells[0] + 1, b = a * 3, c = b ^ 21, d = c + b, e = d * 7, f = e ^ a, g = f + 9;
    double x = a * 0.5, y = b * 0.25;
    bool many = cells[2] < 4;
    for (unsigned n = 0; n < 12; n++) {
        a = a * 33 + catches(n), b ^= a, c += b, d -= c, e ^= d, f += e, g ^= f;
        a = a * 33 + returns_twice(n);
        cells[n & 3] = a ^ g;
        x += y, y = x * 0.75;
        if (many)
            cells[3]++;
    }
    printf("%u %g %u\n", a + b + c + d + e + f + g, x + y, cells[1]);
    return 0;
}
