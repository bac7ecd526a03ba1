/* Functions of the C library that are the program's own.  The library calls them before main, a
   static one before there is thread-local storage; a resolver runs before a dynamic one is set up. */
#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
typedef unsigned char byte;
#define OWN __attribute__((noinline, optimize("no-tree-loop-distribute-patterns")))
static volatile unsigned calls_before_main, is_main;
OWN void *memcpy(void *to, const void *from, size_t n)
{ byte *a = to; const byte *b = from; if (!is_main) calls_before_main++; while (n--) *a++ = *b++; return to; }
OWN void *memmove(void *to, const void *from, size_t n)
{ byte *a = to; const byte *b = from; if (!is_main) calls_before_main++; if (a < b) while (n--) *a++ = *b++; else while (n--) a[n] = b[n]; return to; }
OWN void *memset(void *to, int c, size_t n)
{ byte *a = to; if (!is_main) calls_before_main++; while (n--) *a++ = c; return to; }
OWN int memcmp(const void *p, const void *q, size_t n)
{ const byte *a = p, *b = q; if (!is_main) calls_before_main++; for (; n; n--, a++, b++) if (*a != *b) return *a - *b; return 0; }
OWN size_t strlen(const char *s)
{ size_t n = 0; if (!is_main) calls_before_main++; while (s[n]) n++; return n; }
OWN char *strchr(const char *s, int c)
{ if (!is_main) calls_before_main++; for (;; s++) { if (*s == (char)c) return (char *)s; if (!*s) return 0; } }
OWN char *index(const char *s, int c) { return strchr(s, c); }
OWN char *strrchr(const char *s, int c) { const char *r = 0; do if (*s == (char)c) r = s; while (*s++); return (char *)r; }
OWN char *rindex(const char *s, int c) { return strrchr(s, c); }
OWN int strcmp(const char *a, const char *b)
{ if (!is_main) calls_before_main++; while (*a && *a == *b) a++, b++; return (byte)*a - (byte)*b; }
static char pool[1 << 18];
static size_t used;
OWN void *malloc(size_t n)
{ if (!is_main) calls_before_main++; size_t *block = (size_t *)(pool + used); n = (n + 15) & ~(size_t)15; used += n + 16;
  if (used > sizeof pool) return 0; *block = n; return (char *)block + 16; }
OWN void free(void *p) { (void)p; }
OWN void *calloc(size_t n, size_t size) { byte *p = malloc(n * size); for (size_t k = 0; p && k < n * size; k++) p[k] = 0; return p; }
OWN void *realloc(void *p, size_t n)
{ byte *new = malloc(n), *old = p; size_t most = old ? *(size_t *)(old - 16) : 0;
  for (size_t k = 0; k < most && k < n; k++) new[k] = old[k]; return new; }
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static volatile int times_resolved;
static int (*resolve(void))(int) { int which = 0; for (int n = 0; n < 3; n++) which += n; times_resolved++; return which == 3 ? one : two; }
int indirect(int) __attribute__((ifunc("resolve")));
static int early;
__attribute__((constructor(102))) static void construct(void) { early = calls_before_main; }
int main(void)
{
    is_main = 1;
    char text[64];
    int n = sprintf(text, "%d %s", indirect(41), "two");
    printf("%s %d %d %u\n", text, n, times_resolved, calls_before_main);
    return n == 6 ? 7 : early == 99;
}
