/* Integer code of all widths: what a compiler makes of it must be in the tables. */
#include <stdint.h>
#include <string.h>

struct fields {
    char name[37];
    int small : 5;
    int middle : 11;
    short half;
    long long wide;
};

extern int table[];

long long products(long long a, long long b) { return a * b + (a >> 3) - (b << 5); }

unsigned long long quotients(unsigned long long a, unsigned b) { return a / b + a % 3; }

int signed_quotients(int a, int b) { return a / b + a % 7 - b / 16; }

long long shifts(long long a, int n) { return (a << n) ^ (a >> n) ^ ((unsigned long long)a >> (n & 7)); }

struct fields copies(struct fields *p) {
    struct fields q = *p;
    q.small = 3;
    q.middle += p->small;
    return q;
}

unsigned bits(unsigned x, unsigned long long y, unsigned short *h) {
    *h = __builtin_bswap16(*h);
    return __builtin_bswap32(x) + __builtin_popcount(x) + __builtin_clz(x) + __builtin_ctz(x) +
           (unsigned)__builtin_bswap64(y) + ((x << 7) | (x >> 25));
}

_Bool compares(int a, unsigned b, long long c, unsigned char d) {
    return ((a < 3) + (b > 7u) * 2 == (c < 9)) | (d <= b) | (a != -5);
}

int overflows(int a, int b) {
    int result;
    if (__builtin_add_overflow(a, b, &result)) return 0;
    if (__builtin_mul_overflow(a, b, &result)) return 1;
    return result;
}

void clears(struct fields *p) {
    memset(p, 0, sizeof *p);
    memset(table, 0, 4096);
}

short narrow(signed char *p, short *q, int i) {
    q[i] = p[i];
    return q[i + 1] + p[i - 1];
}

int sums(int *a, int *b, int n) {
    int sum = 0;
    while (n--) {
        sum += *a++ * b[n];
        if (sum & 4) sum ^= 3;
        else if (sum > 100) break;
    }
    return sum;
}

void vectors(unsigned char *restrict a, unsigned char *restrict b, short *restrict c, int n) {
    for (int i = 0; i < n; i++) a[i] += b[i];
    for (int i = 0; i < n; i++) c[i] = c[i] > 3 ? c[i] * 2 : -c[i];
    for (int i = 0; i < n; i++) table[i] = table[i] << 2 | b[i];
}

int reduces(const int *a, int n) {
    int largest = a[0], all = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > largest) largest = a[i];
        all += a[i];
    }
    return largest ^ all;
}

unsigned hashes(const unsigned char *text) {
    unsigned hash = 2166136261u;
    while (*text) hash = (hash ^ *text++) * 16777619u;
    return hash;
}
