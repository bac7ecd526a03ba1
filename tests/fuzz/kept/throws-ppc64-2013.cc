/* | g++ -Os -mcpu=power7 | fixed record loads no-counter parts */
#include <cstdio>

/* Functions that only throw: they save no register, and their callers' landing pads read them. */
static unsigned cells[8];

static void __attribute__((noinline)) again() { throw; }

static void __attribute__((noinline)) fails(unsigned number)
{
    cells[2] += number;
    if (number % 3 == 0)
        throw number;
    cells[3] ^= number;
    throw (unsigned long long) number << 20;
}

/* What it calls ends its loop. */
static void __attribute__((noinline)) loops(unsigned number)
{
    for (;;) {
        cells[4] += ++cells[5];
        if (cells[5] % 3 == 1)
            fails(number + cells[4]);
    }
}

static unsigned __attribute__((noinline)) keeps(unsigned number)
{
    unsigned a = cells[0], b = cells[1], c = cells[2], d = cells[3], e = a ^ number, f = b + c;
    unsigned g = c * 5, h = d | 3, i = e + f, j = f * g, k = g ^ h, l = h - i;
    for (unsigned n = 0; n < 3; n++) {
        try {
            if ((number + n) & 1)
                loops(number);
            fails(number + n);
        } catch (unsigned thrown) {
            a += thrown;
        } catch (unsigned long long thrown) {
            try {
                again();
            } catch (...) {
                a ^= thrown >> 20;
            }
        }
        a += b, b ^= c, c += d, d *= 3, e -= f, f += g, g ^= h, h += i, i -= j, j ^= k, k += l;
    }
    return a + b + c + d + e + f + g + h + i + j + k + l;
}

int main()
{
    for (unsigned n = 0; n < 250; n++) /* the recording's chunks have to end in each of them */
        cells[n & 3] += keeps(n);
    printf("%u %u\n", cells[0], cells[3]);
    return 0;
}
