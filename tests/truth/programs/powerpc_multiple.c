/* Multiple and string accesses that only this target has: lmw stmw lswi stswi, block copies.
 * Targets: ppc32
 * Flags: -mmultiple -fno-pie -no-pie -fomit-frame-pointer */
#include <stdio.h>
#include <string.h>

static int words[32];
static char bytes[64];

static __attribute__((noinline)) int saves_many(int n)
{
    int a = n, b = n + 1, c = n + 2, d = n + 3, e = n + 4, f = n + 5;
    for (int i = 0; i < 4; i++) {
        a += words[i], b ^= a, c -= b, d += c, e ^= d, f += e;
        __asm__ volatile("" ::: "r14", "r15", "r16", "r17", "memory");
        words[i + 8] = f;
    }
    return n > 0 ? a + b + c + d + e + f + saves_many(n - 1) : a;
}

static void strings(char *to, const char *from)
{
    /* 11 bytes go through r5, r6 and three bytes of r7. */
    __asm__ volatile("lswi 5,%1,11\n\tstswi 5,%0,11" ::"b"(to), "b"(from) : "r5", "r6", "r7", "memory");
}

static void indexed_strings(char *to, const char *from, unsigned count)
{
    __asm__ volatile("mtxer %2\n\tlswx 5,0,%1\n\tstswx 5,0,%0" ::"b"(to), "b"(from), "r"(count)
                     : "r5", "r6", "r7", "r8", "xer", "memory");
}

static int multiple(const int *from, int *to)
{
    __asm__ volatile("lmw 25,0(%0)\n\tstmw 25,0(%1)" ::"b"(from), "b"(to)
                     : "r25", "r26", "r27", "r28", "r29", "r30", "r31", "memory");
    return to[0] + to[6];
}

int main(void)
{
    for (int i = 0; i < 32; i++)
        words[i] = i * i;
    strcpy(bytes, "abcdefghijklmnopqrstuvwxyz");
    int sum = saves_many(6);
    strings(bytes + 32, bytes + 3);
    for (unsigned count = 0; count < 16; count += 5)
        indexed_strings(bytes + 44, bytes + count, count);
    sum += multiple(words + 2, words + 20);
    for (int i = 0; i < 32; i++)
        sum = sum * 3 % 1000003 + words[i];
    printf("%d %.11s %s\n", sum, bytes + 32, bytes + 44);
    return 0;
}
