/* A hook library that uses every function of inst/support.h and says which did not do its work. */
#include <inst/hooks.h>
#include <inst/support.h>

enum { READ_ONLY = 0, WRITE_NEW = 01 | 0100 | 01000, NO_SUCH_FILE = -2 };

#define CHECK(what) do { if (!(what)) { PRINTF("%d: %s\n", __LINE__, #what); } } while (0)

static int same(const char *one, const char *other) { return !STRCMP(one, other); }

static void list(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    CHECK(VSNPRINTF(to, 20, format, arguments) == 3);
    va_end(arguments);
}

static void strings(void)
{
    char a[32], b[32], *end;
    CHECK(same(STRCPY(a, "sparc"), "sparc") && STRLEN(a) == 5 && same(STRCAT(a, "-v8"), "sparc-v8"));
    CHECK(STRCMP("a", "b") < 0 && STRCMP("b", "a") > 0 && !STRNCMP("abc", "abd", 2));
    CHECK(STRNCMP("abc", "abd", 3) < 0 && STRCHR(a, 'r') == a + 3 && !STRCHR(a, 'x'));
    CHECK(STRCHR(a, 0) == a + 8 && STRTOL("-0x1fz", &end, 16) == -31 && *end == 'z');
    CHECK(STRTOL(" 077", &end, 0) == 63 && STRTOL("2147483647", &end, 10) == 2147483647);
    CHECK(MEMSET(b, 7, sizeof b) == b && b[31] == 7 && MEMCPY(b, a, 9) == b && !MEMCMP(a, b, 9));
    CHECK(MEMMOVE(b + 1, b, 9) == b + 1 && same(b + 1, "sparc-v8") && b[0] == 's');
    CHECK(MEMMOVE(b, b + 1, 9) == b && same(b, "sparc-v8") && MEMCMP("a", "b", 1) < 0);
    BZERO(b, sizeof b);
    CHECK(!b[0] && !b[31]);
}

static void memory(void)
{
    char *one = MALLOC(10), *other = CALLOC(100, 50), *large = MALLOC(1 << 20);
    CHECK(one && other && large && !((unsigned long)one & 7) && !other[0] && !other[4999]);
    MEMSET(one, 1, 10);
    MEMSET(large, 2, 1 << 20);
    one = REALLOC(one, 5000);
    CHECK(one[0] == 1 && one[9] == 1 && large[(1 << 20) - 1] == 2 && !other[4999]);
    FREE(large);
    FREE(other);
    FREE(one);
    FREE(0);
    CHECK(!CALLOC((size_t)-1, 2));
}

static void files(void)
{
    char text[20];
    int ends[2], copy, file = CREAT("support.made", 0600);
    CHECK(file >= 0 && WRITE(file, "abcdef", 6) == 6 && !FSYNC(file) && !CLOSE(file));
    file = OPEN("support.made", READ_ONLY);
    copy = DUP(file);
    CHECK(READ(file, text, 3) == 3 && READ(copy, text + 3, 9) == 3 && !MEMCMP(text, "abcdef", 6));
    CHECK(!CLOSE(file) && !CLOSE(copy) && CLOSE(copy) < 0 && !UNLINK("support.made"));
    CHECK(OPEN("support.made", READ_ONLY) == NO_SUCH_FILE);
    CHECK(!PIPE(ends) && DPRINTF(ends[1], "%s-%d", "pipe", 4) == 6);
    CHECK(READ(ends[0], text, 20) == 6 && !MEMCMP(text, "pipe-4", 6));
    CHECK(!CLOSE(ends[0]) && !CLOSE(ends[1]));
}

static void texts(void)
{
    char text[40];
    CHECK(SNPRINTF(text, 40, "%5d|%-4x|%04u|%c|%%|%+d", -12, 0xab, 7, 'q', 3) == 22);
    CHECK(same(text, "  -12|ab  |0007|q|%|+3"));
    CHECK(SNPRINTF(text, 4, "%s", "too long") == 8 && same(text, "too"));
    SNPRINTF(text, 40, "%#o %hhd %lld %.2s %*d", 8, 257, -(1ll << 40), "abc", 4, 5);
    CHECK(same(text, "010 1 -1099511627776 ab    5"));
    list(text, "%lu %s", 1ul, "x");
    CHECK(same(text, "1 x"));
}

void exithook(void)
{
    struct { long seconds, rest[3]; } now = { 0, { 0 } };
    strings();
    memory();
    files();
    texts();
    CHECK(GETPID() > 0 && GETTID() == GETPID() && !KILL(GETPID(), 0));
    CHECK(same(GETENV("SUPPORT"), "yes") && !GETENV("SUPPOR"));
    CHECK(!CLOCK_GETTIME(0, &now) && now.seconds);
    PUTS("all was used");
    if (GETENV("SUPPORT_ENDS"))
        ABORT();
    _EXIT(7);
}
