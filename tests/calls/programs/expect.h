/* What a call is expected to touch, said on standard output at the end: a line `STEP = CALL`, and
   `STEP r ADDRESS SIZE` or `STEP w ADDRESS SIZE` for each range, `STEP e` for errno's. getppid stands before and behind
   each call, to tell them apart from what keeps the books. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static char lines[65536], *at = lines;
static int step;

static void expect(const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        unsigned long address = va_arg(list, unsigned long), size = va_arg(list, unsigned long);
        at += sprintf(at, "%d %c %lx %lx\n", step, *kinds, address, size);
    }
    va_end(list);
}

static unsigned long size_of(const char *text)
{
    const char *end = text;
    while (*end++)
        ;
    return end - text;
}

#define P(POINTER) ((unsigned long)(POINTER))
#define S(TEXT) P(TEXT), (unsigned long)sizeof TEXT
#define V(VALUE) P(&(VALUE)), (unsigned long)sizeof(VALUE)
#define CALL(EXPRESSION, ...)                                           \
    do {                                                                \
        int before = errno;                                             \
        step++, getppid();                                              \
        long result = (long)(EXPRESSION);                               \
        getppid();                                                      \
        at += sprintf(at, "%d = %s\n", step, #EXPRESSION);              \
        (void)result;                                                   \
        expect(__VA_ARGS__);                                            \
        if (errno != before)                                            \
            expect("e", V(errno));                                      \
    } while (0)
