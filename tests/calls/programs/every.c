/* Call every C library function that is watched, and say what came of it: the instrumented
   program must say the same. A test holds the names used here against the table. */
#define _GNU_SOURCE
#include <alloca.h>
#include <arpa/inet.h>
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <grp.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <libgen.h>
#undef basename
#include <locale.h>
#include <math.h>
#include <malloc.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

extern char *plain_basename(const char *) __asm__("basename");
extern int plain_strerror_r(int, char *, size_t) __asm__("__xpg_strerror_r");
extern char *posix_basename(char *) __asm__("__xpg_basename");
extern int old_sscanf(const char *, const char *, ...) __asm__("sscanf");
extern int old_vsscanf(const char *, const char *, va_list) __asm__("vsscanf");
extern int old_scanf(const char *, ...) __asm__("scanf");
extern int old_vscanf(const char *, va_list) __asm__("vscanf");
extern int old_fscanf(FILE *, const char *, ...) __asm__("fscanf");
extern int old_vfscanf(FILE *, const char *, va_list) __asm__("vfscanf");
extern int old_swscanf(const wchar_t *, const wchar_t *, ...) __asm__("swscanf");
extern int old_vswscanf(const wchar_t *, const wchar_t *, va_list) __asm__("vswscanf");
extern int old_wscanf(const wchar_t *, ...) __asm__("wscanf");
extern int old_vwscanf(const wchar_t *, va_list) __asm__("vwscanf");
extern int old_fwscanf(FILE *, const wchar_t *, ...) __asm__("fwscanf");
extern int old_vfwscanf(FILE *, const wchar_t *, va_list) __asm__("vfwscanf");
extern int bcmp_(const void *, const void *, size_t) __asm__("bcmp");
extern ssize_t getdelim_(char **, size_t *, int, FILE *) __asm__("__getdelim");
extern int getc_(FILE *) __asm__("getc");
extern int getchar_(void) __asm__("getchar");
extern int putc_(int, FILE *) __asm__("putc");
extern int putchar_(int) __asm__("putchar");
extern int getc_unlocked_(FILE *) __asm__("getc_unlocked");
extern int getchar_unlocked_(void) __asm__("getchar_unlocked");
extern int fgetc_unlocked_(FILE *) __asm__("fgetc_unlocked");
extern int putc_unlocked_(int, FILE *) __asm__("putc_unlocked");
extern int putchar_unlocked_(int) __asm__("putchar_unlocked");
extern int fputc_unlocked_(int, FILE *) __asm__("fputc_unlocked");
extern int open2_(const char *, int) __asm__("__open_2");
extern int open642_(const char *, int) __asm__("__open64_2");
extern int vprintf_chk_(int, const char *, va_list) __asm__("__vprintf_chk");
extern int wctomb_chk_(char *, wchar_t, size_t) __asm__("__wctomb_chk");
extern size_t wcrtomb_chk_(char *, wchar_t, mbstate_t *, size_t) __asm__("__wcrtomb_chk");
extern int ppoll_chk_(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t)
    __asm__("__ppoll_chk");
extern long getpid_(void) __asm__("getpid");

void further(void);

static char to[256], more[256], from[] = "the quick brown fox";
static wchar_t wide[64], other[64];
static wchar_t wide_from[] = L"the quick brown fox";
static volatile int zero;

static size_t n(size_t value)
{
    return value + zero;
}

#include "saying.h"

static void strings(void)
{
    BUFFER(memcpy(to, from, n(5)));
    BUFFER(memmove(to, from, n(5)));
    BUFFER(mempcpy(to, from, n(5)));
    BUFFER(memccpy(to, from, 'q', n(15)));
    BUFFER(memset(to, 'y', n(5)));
    NUMBER((char *)memchr(from, 'q', n(19)) - from);
    NUMBER((char *)memrchr(from, 'o', n(19)) - from);
    NUMBER((char *)rawmemchr(from, 'q') - from);
    NUMBER(memcmp(from, "thf", n(3)) < 0);
    NUMBER(bcmp_(from, "the", n(3)));
    BUFFER((bzero(to, n(5)), to[0] = 'a'));
    BUFFER((explicit_bzero(to, n(5)), to[0] = 'a'));
    BUFFER((bcopy(from, to, n(5)), 0));
    NUMBER(strlen(from));
    NUMBER(strnlen(from, n(5)));
    BUFFER(strcpy(to, from + n(0)));
    BUFFER(stpcpy(to, from + n(0)));
    BUFFER(strncpy(to, from, n(5)));
    BUFFER(stpncpy(to, from, n(5)));
    BUFFER((strcpy(to, "a"), strcat(to, from + n(0))));
    BUFFER((strcpy(to, "a"), strncat(to, from, n(5))));
    TEXT(strdup(from));
    TEXT(strndup(from, n(5)));
    NUMBER(strcmp(from, "thf") < 0);
    NUMBER(strncmp(from, "thf", n(2)));
    NUMBER(strcoll(from, "thf") < 0);
    BUFFER(strxfrm(to, from, n(60)));
    TEXT(strchr(from, 'q'));
    TEXT(strchrnul(from, 'q'));
    TEXT(strrchr(from, 'o'));
    TEXT(strstr(from, "br"));
    TEXT(strcasestr(from, "BR"));
    NUMBER((char *)memmem(from, n(19), "bro", n(3)) - from);
    NUMBER(strspn(from, "eht"));
    NUMBER(strcspn(from, "q"));
    TEXT(strpbrk(from, "qb"));
    NUMBER(strverscmp("a9", "a10"));
    char *next, *texts = more, copy[] = "one two three four";
    TEXT(strtok_r(copy, " ", &next));
    TEXT(strtok_r(NULL, " ", &next));
    TEXT(next);
    TEXT(strtok(next, " "));
    strcpy(more, "x,y");
    TEXT(strsep(&texts, ","));
    TEXT(texts);
    TEXT(strerror(ENOENT));
    TEXT(strerror(1234));
    TEXT(strerror(5678));
    TEXT(strerror_r(ENOENT, to, n(60)));
    BUFFER(plain_strerror_r(ENOENT, to, n(60)));
    TEXT(strsignal(SIGINT));
    TEXT(plain_basename("/a/b"));
    strcpy(more, "/a/b");
    TEXT(posix_basename(more));
    TEXT(dirname(more));
    NUMBER(strcasecmp(from, "THE"));
    NUMBER(strncasecmp(from, "THE", n(3)));
    BUFFER((swab(from, to, n(4)), 0));
}

static void wide_strings(void)
{
    mbstate_t state = { 0 };
    const char *narrow = from;
    const wchar_t *widened = wide_from;
    wchar_t *next;
    NUMBER(wcslen(wide_from));
    WIDE(wcscpy(wide, wide_from + n(0)));
    WIDE(wcpcpy(wide, wide_from + n(0)));
    WIDE(wcsncpy(wide, wide_from, n(7)));
    WIDE(wcpncpy(wide, wide_from, n(7)));
    WIDE((wcscpy(wide, L"a"), wcscat(wide, wide_from + n(0))));
    WIDE((wcscpy(wide, L"a"), wcsncat(wide, wide_from, n(5))));
    WIDE(wmemcpy(wide, wide_from, n(5)));
    WIDE(wmemmove(wide, wide_from, n(5)));
    WIDE(wmempcpy(wide, wide_from, n(5)));
    WIDE(wmemset(wide, L'y', n(5)));
    SAY("wcsdup", "%ls", wcsdup(wide_from));
    NUMBER(wcscmp(wide_from, L"thf") < 0);
    SAY("wcschr", "%ls", wcschr(wide_from, L'q'));
    SAY("wcsrchr", "%ls", wcsrchr(wide_from, L'o'));
    SAY("wcsstr", "%ls", wcsstr(wide_from, L"br"));
    wcscpy(other, wide_from);
    SAY("wcstok", "%ls", wcstok(other, L" ", &next));
    SAY("wcstok", "%ls", next);
    NUMBER(wcstol(L"12x", &next, 10));
    SAY("wcstol", "%ls", next);
    WIDE(mbrtowc(wide, from, n(4), &state));
    NUMBER(mbrlen(from, n(4), &state));
    BUFFER(wcrtomb(to, n('a'), &state));
    WIDE(mbsrtowcs(wide, &narrow, n(40), &state));
    narrow = from;
    WIDE(mbsnrtowcs(wide, &narrow, n(5), n(40), &state));
    SAY("mbsnrtowcs", "%s", narrow);
    BUFFER(wcsrtombs(to, &widened, n(40), &state));
    widened = wide_from;
    BUFFER(wcsnrtombs(to, &widened, n(5), n(40), &state));
    SAY("wcsnrtombs", "%ls", widened);
    WIDE(mbtowc(wide, from, n(4)));
    BUFFER(wctomb(to, n('a')));
    BUFFER(wctomb_chk_(to, n('b'), n(60)));
    BUFFER(wcrtomb_chk_(to, n('c'), &state, n(60)));
    WIDE(mbstowcs(wide, from, n(40)));
    BUFFER(wcstombs(to, wide_from, n(40)));
}

static int compare(const void *one, const void *another)
{
    return *(const int *)one - *(const int *)another;
}

static int compare_by(const void *one, const void *another, void *factor)
{
    return (*(const int *)one - *(const int *)another) * *(int *)factor;
}

static int compare_large(const void *one, const void *another)
{
    return memcmp(one, another, 40);
}

static void general(void)
{
    void *place;
    char *end;
    int numbers[40], factor = -1, key = 7, point, sign;
    char large[20][40], path[PATH_MAX];
    unsigned seed = 3;
    unsigned short state[3] = { 1, 2, 3 };
    double loads[3];
    free(memset(malloc(n(20)), 1, 20));
    NUMBER(*(int *)calloc(n(4), n(5)));
    place = realloc(strcpy(malloc(9), "realloc"), n(500));
    TEXT(place);
    TEXT(reallocarray(place, n(50), n(20)));
    NUMBER((long)memset(aligned_alloc(64, n(128)), 0, 128) % 64);
    NUMBER((long)memset(memalign(64, n(128)), 0, 128) % 64);
    NUMBER((long)memset(valloc(n(128)), 0, 128) % 4096);
    NUMBER((long)memset(pvalloc(n(128)), 0, 128) % 4096);
    NUMBER(posix_memalign(&place, 64, n(128)));
    NUMBER((long)place % 64);
    NUMBER(strtol("12x", &end, 10));
    NUMBER(strtoul(end - 2, &end, 16));
    NUMBER(strtoll("99999999999z", &end, 10) / 1000);
    TEXT(end);
    NUMBER(strtoull("99999999999z", &end, 10) / 1000);
    SAY("strtod", "%g %s", strtod("1.5y", &end), end);
    SAY("strtof", "%g %s", strtof("1.5f", &end), end);
    SAY("strtold", "%Lg %s", strtold("1.25f", &end), end);
    NUMBER(strtol("999999999999999999999999", &end, 10));
    NUMBER(atoi("12"));
    NUMBER(atol("12"));
    NUMBER(atoll("12"));
    SAY("atof", "%g", atof("1.5"));
    NUMBER(setenv("EVERY", "one", 1));
    TEXT(getenv("EVERY"));
    TEXT(secure_getenv("EVERY"));
    static char put[] = "EVERY=two";
    NUMBER(putenv(put));
    TEXT(getenv("EVERY"));
    NUMBER(unsetenv("EVERY"));
    NUMBER(getenv("EVERY") != NULL);
    TEXT(realpath("/usr/..", path));
    for (int i = 0; i < 40; i++)
        numbers[i] = i * 17 % 40;
    qsort(numbers, n(40), sizeof *numbers, compare);
    NUMBER(numbers[0] * 100 + numbers[39]);
    NUMBER((int *)bsearch(&key, numbers, n(40), sizeof *numbers, compare) - numbers);
    qsort_r(numbers, n(40), sizeof *numbers, compare_by, &factor);
    NUMBER(numbers[0] * 100 + numbers[39]);
    for (int i = 0; i < 20; i++)
        memset(large[i], 'a' + i * 7 % 20, 40);
    qsort(large, n(20), sizeof *large, compare_large);
    SAY("large", "%.9s %.*s", large[0], (int)n(9), large[19]);
    NUMBER(rand_r(&seed));
    NUMBER(seed);
    SAY("erand48", "%g", erand48(state));
    NUMBER(nrand48(state));
    NUMBER(jrand48(state));
    NUMBER(state[0]);
    NUMBER(getloadavg(loads, n(3)) >= -1);
    TEXT(ecvt(12.5, 4, &point, &sign));
    NUMBER(point * 10 + sign);
    TEXT(fcvt(12.5, 4, &point, &sign));
    NUMBER(point * 10 + sign);
    void *root = NULL;
    NUMBER(**(int **)tsearch(&key, &root, compare));
    NUMBER(**(int **)tfind(&key, &root, compare));
    NUMBER(tdelete(&key, &root, compare) != NULL);
    size_t count = 2;
    NUMBER(*(int *)lsearch(&key, numbers, &count, sizeof *numbers, compare));
    NUMBER(count);
    clearenv();
    NUMBER(environ != NULL && environ[0] != NULL);
}

/* There glibc's sincos changes the rounding by an instruction that old processors ignore and
   their emulator refuses. */
static int is_powerpc(void)
{
#ifdef __powerpc__
    return 1 + zero;
#endif
    return zero;
}

static void numbers(void)
{
    int exponent = 1;
    double whole, sine, cosine;
    float whole_float, sine_float, cosine_float;
    long double whole_long, sine_long, cosine_long;
    volatile double value = 12.3;
#define BOTH(CALL, OTHER) SAY(#CALL, "%.6Lg %.6Lg", (long double)(CALL), (long double)(OTHER))
#define THEN(CALL, ONE, OTHER) ((CALL), SAY(#CALL, "%.6Lg %.6Lg", (long double)(ONE), (long double)(OTHER)))
    BOTH(frexp(value, &exponent), exponent);
    BOTH(frexpf(value, &exponent), exponent);
    BOTH(frexpl(value, &exponent), exponent);
    double part = modf(value, &whole);
    BOTH(part, whole);
    float part_float = modff(value, &whole_float);
    BOTH(part_float, whole_float);
    long double part_long = modfl(value, &whole_long);
    BOTH(part_long, whole_long);
    if (!is_powerpc()) {
        THEN(sincos(value, &sine, &cosine), sine, cosine);
        THEN(sincosf(value, &sine_float, &cosine_float), sine_float, cosine_float);
        THEN(sincosl(value, &sine_long, &cosine_long), sine_long, cosine_long);
    }
    THEN(part = remquo(value, 5, &exponent), part, exponent);
    THEN(part = remquof(value, 5, &exponent), part, exponent);
    THEN(part_long = remquol(value, 5, &exponent), part_long, exponent);
    signgam = exponent = 0;
    THEN(part = lgamma(value), part, signgam);
    THEN(part = lgammaf(value), part, signgam);
    THEN(part_long = lgammal(value), part_long, signgam);
    THEN(part = lgamma_r(value, &exponent), part, exponent);
    THEN(part = lgammaf_r(value, &exponent), part, exponent);
    THEN(part_long = lgammal_r(value, &exponent), part_long, exponent);
}

/* Results that are long doubles: 32-bit SPARC returns them in memory. */
static void long_doubles(void)
{
    volatile long double one = 0.75L, other = 2.5L, large = 12.25L;
#define ONE(NAME) SAY(#NAME, "%.6Lg", NAME(one))
#define LARGE(NAME) SAY(#NAME, "%.6Lg", NAME(large))
#define TWO(NAME) SAY(#NAME, "%.6Lg", NAME(large, other))
    ONE(acosl); ONE(asinl); ONE(atanl); ONE(cosl); ONE(sinl); ONE(tanl); LARGE(acoshl); ONE(asinhl);
    ONE(atanhl); ONE(sinhl); ONE(tanhl); ONE(expm1l); LARGE(logl); LARGE(log10l); ONE(log1pl);
    LARGE(log2l); LARGE(logbl); LARGE(cbrtl); LARGE(fabsl); LARGE(sqrtl); LARGE(ceill); LARGE(floorl);
    LARGE(nearbyintl); LARGE(rintl); LARGE(roundl); LARGE(roundevenl); LARGE(truncl);
    LARGE(significandl); ONE(j0l); ONE(j1l); ONE(y0l);
    if (!is_powerpc() || sizeof(long) == 8) {    /* QEMU has no mtfsf of 64 bits for these */
        ONE(coshl); ONE(expl); ONE(exp2l); ONE(exp10l); ONE(erfl); ONE(erfcl); ONE(tgammal); ONE(y1l);
        SAY("fmal", "%.6Lg", fmal(one, other, large));
        SAY("jnl", "%.6Lg", jnl(2, one));
        SAY("ynl", "%.6Lg", ynl(2, one));
    }
    TWO(atan2l); TWO(powl); TWO(hypotl); TWO(fmodl); TWO(remainderl); TWO(dreml); TWO(copysignl);
    TWO(nextafterl); TWO(nexttowardl); TWO(fdiml); TWO(fmaxl); TWO(fminl); TWO(scalbl);
    SAY("ldexpl", "%.6Lg", ldexpl(one, 3));
    SAY("scalbnl", "%.6Lg", scalbnl(one, 3));
    SAY("scalblnl", "%.6Lg", scalblnl(one, 3));
    SAY("nanl", "%.6Lg", nanl("7"));
}

/* Results that are structures or complex numbers: most ABIs return some of them in memory. */
static void structures(void)
{
    for (int i = 1; i < 4; i++) {    /* not what was there before */
        div_t plain = div(100 + i, 7);
        ldiv_t wide = ldiv(200 + i, 7);
        lldiv_t wider = lldiv(300 + i, 7);
        imaxdiv_t widest = imaxdiv(400 + i, 7);
        struct in_addr address = inet_makeaddr(10, i);
        void *block = malloc(100000 * i);
        struct mallinfo use = mallinfo();
        struct mallinfo2 wide_use = mallinfo2();
        NUMBER(plain.quot * 10 + plain.rem);
        NUMBER(wide.quot * 10 + wide.rem);
        NUMBER(wider.quot * 10 + wider.rem);
        NUMBER(widest.quot * 10 + widest.rem);
        NUMBER(address.s_addr);
        NUMBER((size_t)use.uordblks == wide_use.uordblks && use.arena != 0);
        free(block);
    }
}

static void complex_numbers(void)
{
    volatile double _Complex one = 0.5 + 0.25 * I;
    volatile long double _Complex wide = 0.5L + 0.25L * I;
#define COMPLEX(NAME) SAY(#NAME, "%.6g %.6g", creal(NAME(one)), cimag(NAME(one)))
#define LONG(NAME) SAY(#NAME, "%.6Lg %.6Lg", creall(NAME(wide)), cimagl(NAME(wide)))
    COMPLEX(conj); COMPLEX(cproj); LONG(conjl); LONG(cprojl);
    if (is_powerpc())    /* as for sincos */
        return;
    COMPLEX(cacos); COMPLEX(casin); COMPLEX(catan); COMPLEX(ccos); COMPLEX(csin); COMPLEX(ctan); COMPLEX(cacosh); COMPLEX(casinh); COMPLEX(catanh);
    COMPLEX(ccosh); COMPLEX(csinh); COMPLEX(ctanh); COMPLEX(cexp); COMPLEX(clog); COMPLEX(clog10); COMPLEX(csqrt);
    LONG(cacosl); LONG(casinl); LONG(catanl); LONG(ccosl); LONG(csinl); LONG(ctanl); LONG(cacoshl);
    LONG(casinhl); LONG(catanhl); LONG(ccoshl); LONG(csinhl); LONG(ctanhl); LONG(cexpl); LONG(clogl);
    LONG(clog10l); LONG(csqrtl);
    SAY("cpow", "%.6g %.6g", creal(cpow(one, one)), cimag(cpow(one, one)));
    SAY("cpowl", "%.6Lg %.6Lg", creall(cpowl(wide, wide)), cimagl(cpowl(wide, wide)));
}

static void times_and_places(void)
{
    time_t when = 86400 * 365, now;
    struct tm *found, kept;
    struct timeval value = { 0, 0 }, timeout = { 0, 1000 };
    struct timespec spec = { 0, 1000 }, left;
    struct utsname names;
    struct rlimit limit;
    struct rlimit64 limit64;
    struct termios terminal;
    struct in_addr address;
    struct in6_addr address6;
    regex_t expression;
    regmatch_t matches[3];
    sigset_t set, old;
    struct pollfd polled[1] = { { -1, POLLIN, 7 } };
    setenv("TZ", "UTC", 1);
    found = gmtime(&when);
    NUMBER(found->tm_year);
    found = localtime(&when);
    NUMBER(found->tm_mday);
    NUMBER(gmtime_r(&when, &kept)->tm_year);
    NUMBER(localtime_r(&when, &kept)->tm_year);
    kept.tm_mday = 40;
    NUMBER(mktime(&kept));
    NUMBER(kept.tm_mon);
    TEXT(asctime(&kept));
    TEXT(ctime(&when));
    BUFFER(strftime(to, n(60), "%Y-%m-%d", &kept));
    NUMBER(time(&now) == now);
    NUMBER(gettimeofday(&value, NULL));
    NUMBER(value.tv_sec > 1);
    NUMBER(clock_gettime(CLOCK_REALTIME, &spec));
    NUMBER(spec.tv_sec > 1);
    NUMBER(clock_getres(CLOCK_REALTIME, &spec));
    spec = (struct timespec){ 0, 1000 };
    NUMBER(nanosleep(&spec, &left));
    NUMBER(clock_nanosleep(CLOCK_REALTIME, 0, &spec, &left));
    NUMBER(clock_nanosleep(12345, 0, &spec, &left));
    NUMBER(uname(&names));
    TEXT(names.sysname);
    BUFFER(gethostname(to, n(60)) + !strcpy(to, "name"));
    BUFFER(getdomainname(to, n(60)));
    NUMBER(gethostname(to, n(1)));
    NUMBER(getrlimit(RLIMIT_CORE, &limit));
    NUMBER(getrlimit64(RLIMIT_CORE, &limit64));
    NUMBER(tcgetattr(n(9), &terminal));
    NUMBER(tcsetattr(n(9), 0, &terminal));
    NUMBER(isalpha((int)n('a')) != 0);
    NUMBER(((const __int32_t *)*__ctype_tolower_loc())['A']);
    NUMBER(((const __int32_t *)*__ctype_toupper_loc())['a']);
    TEXT(setlocale(LC_ALL, "C"));
    TEXT(localeconv()->decimal_point);
    TEXT(nl_langinfo(CODESET));
    static char *words[] = { "every", "-a", "x", "-b", "--long=3", "y", NULL };
    int flag = 0, which;
    struct option options[] = { { "long", 1, &flag, 5 }, { NULL, 0, NULL, 0 } };
    for (int c; (c = getopt(4, words, "ab:")) != -1;)
        SAY("getopt", "%c %d %s %c", c, optind, optarg ? optarg : "none", optopt ? optopt : '-');
    optind = 0;
    for (int c; (c = getopt_long(6, words, "ab", options, &which)) != -1;)
        SAY("getopt_long", "%d %d %d", c, flag, optind);
    optind = 0;
    flag = 0;
    for (int c; (c = getopt_long_only(6, words, "ab", options, &which)) != -1;)
        SAY("getopt_long_only", "%d %d %s", c, flag, words[5]);
    BUFFER(confstr(_CS_PATH, to, n(60)));
    NUMBER(getlogin_r(to, n(60)) >= 0);
    NUMBER(ttyname_r(n(9), to, n(60)));
    NUMBER(ptsname_r(n(9), to, n(60)));
    NUMBER(regcomp(&expression, "q(u)(.)", REG_EXTENDED));
    memset(matches, 7, sizeof matches);
    NUMBER(regexec(&expression, from, n(3), matches, 0));
    NUMBER(matches[2].rm_so * 100 + matches[2].rm_eo);
    matches[0] = (regmatch_t){ 2, 19 };
    NUMBER(regexec(&expression, from, n(3), matches, REG_STARTEND));
    NUMBER(matches[1].rm_so);
    NUMBER(regexec(&expression, "none", n(3), matches, 0));
    BUFFER(regerror(REG_NOMATCH, &expression, to, n(60)));
    regfree(&expression);
    NUMBER(fnmatch("*.c", "a.c", 0));
    NUMBER(inet_aton("1.2.3.4", &address));
    TEXT(inet_ntoa(address));
    NUMBER(inet_pton(AF_INET6, "::1", &address6));
    BUFFER(inet_ntop(AF_INET6, &address6, to, n(60)) != NULL);
    struct addrinfo *list, hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM };
    NUMBER(getaddrinfo("127.0.0.1", "80", &hints, &list));
    NUMBER(ntohs(((struct sockaddr_in *)list->ai_addr)->sin_port) + list->ai_family);
    freeaddrinfo(list);
    TEXT(getpwnam("root")->pw_dir);
    TEXT(getpwuid(0)->pw_name);
    TEXT(getgrgid(0)->gr_name);
    NUMBER(getgrnam("root")->gr_gid);
    NUMBER(sigemptyset(&set));
    NUMBER(sigaddset(&set, SIGUSR1));
    NUMBER(sigprocmask(SIG_BLOCK, &set, &old));
    raise(SIGUSR1);
    NUMBER(sigpending(&set));
    NUMBER(sigismember(&set, SIGUSR1) * 10 + sigismember(&old, SIGUSR1));
    signal(SIGUSR1, SIG_IGN);
    NUMBER(pthread_sigmask(SIG_SETMASK, &old, &set));
    NUMBER(sigismember(&set, SIGUSR1));
    NUMBER(sigfillset(&set));
    NUMBER(sigdelset(&set, SIGUSR1));
    NUMBER(sigismember(&set, SIGUSR1) + sigismember(&set, SIGUSR2));
    NUMBER(select(0, NULL, NULL, NULL, &timeout));
    NUMBER(pselect(0, NULL, NULL, NULL, &spec, &old));
    NUMBER(ppoll(NULL, n(0), &spec, &old));
    NUMBER(ppoll_chk_(polled, n(1), &spec, &old, n(8)));
}

static FILE *file(void)
{
    FILE *made = fopen("every.txt", "w+");
    fputs("12 words here\nsecond line\nthird 3.5 77 end\n", made);
    fflush(made);
    rewind(made);
    return made;
}

static ssize_t taken(void *cookie, char *to, size_t size)
{
    const char **left = cookie;
    size_t count = 0;
    while (count < size && **left)
        to[count++] = *(*left)++;
    return count;
}

static void streams(void)
{
    const char *left = "from a cookie";
    FILE *in = file(), *out = stdout;
    fpos_t place;
    char *line = NULL;
    size_t size = 0;
    BUFFER(!fgets(to, n(60), in));
    NUMBER(fgetpos(in, &place));
    BUFFER(!fgets_unlocked(to, n(60), in));
    NUMBER(fsetpos(in, &place));
    NUMBER(fgetc(in));
    NUMBER(getc_(in));
    NUMBER(getc_unlocked_(in));
    NUMBER(fgetc_unlocked_(in));
    NUMBER(ungetc('Q', in));
    BUFFER(fread(to, 1, n(5), in));
    BUFFER(fread_unlocked(to, 1, n(5), in));
    NUMBER(fseek(in, 0, SEEK_SET));
    NUMBER(fseeko(in, 0, SEEK_SET));
    NUMBER(fseeko64(in, 0, SEEK_SET));
    for (int c, sum = 0; c = getc_unlocked(in), sum += c, c == EOF ? SAY("sum", "%d", sum), 0 : 1;)
        ;
    flockfile(in);
    NUMBER(ftrylockfile(in));
    funlockfile(in);
    funlockfile(in);
    clearerr(in);
    rewind(in);
    NUMBER(getline(&line, &size, in));
    TEXT(line);
    NUMBER(getdelim(&line, &size, ' ', in));
    TEXT(line);
    NUMBER(getdelim_(&line, &size, 'n', in));
    TEXT(line);
    __fpurge(in);
    NUMBER(fclose(in));
    NUMBER(freopen("every.txt", "r", stdin) != NULL);
    NUMBER(getchar_());
    NUMBER(getchar_unlocked_());
    in = fdopen(dup(0), "r");
    NUMBER(setvbuf(in, more, _IOFBF, n(64)));
    BUFFER(!fgets(to, n(60), in));
    fclose(in);
    in = fopen64("missing", "r");
    NUMBER(in != NULL);
    perror("every");
    fwrite("fwrite\n", 1, n(7), out);
    fwrite_unlocked("unlocked\n", 1, n(9), out);
    fputs("fputs\n", out);
    fputs_unlocked("fputs_unlocked\n", out);
    puts("puts");
    fputc('a', out);
    putc_('b', out);
    putc_unlocked_('c', out);
    fputc_unlocked_('d', out);
    putchar_('e');
    putchar_unlocked_('\n');
    for (int c = 'a'; c < 'f'; c++)
        putc_unlocked(c, out);
    putc_unlocked('\n', out);
    in = fopen("small", "w+");
    setbuf(in, NULL);
    putc_unlocked('x', in);
    fflush_unlocked(in);
    fclose(in);
    in = popen("echo from a pipe", "r");
    BUFFER(!fgets(to, n(60), in));
    pclose(in);
    in = tmpfile();
    NUMBER(fputs("x", in));
    fclose(in);
    in = fopencookie(&left, "r", (cookie_io_functions_t){ .read = taken });
    BUFFER(!fgets(to, n(60), in));
    fclose(in);
    in = fmemopen(from, n(8), "r");
    BUFFER(!fgets(to, n(60), in));
    fclose(in);
    out = open_memstream(&line, &size);
    fputs("in memory", out);
    fflush(out);
    SAY("open_memstream", "%s %d", line, (int)size);
    fputs(", and more", out);
    fclose(out);
    SAY("open_memstream", "%s %d", line, (int)size);
    in = file();
    NUMBER(fgetwc(in));
    WIDE(fgetws(wide, n(40), in));
    fclose(in);
    out = fopen("every.wide", "w");
    NUMBER(fputwc(L'w', out) == L'w');
    NUMBER(fputws(L"wide", out) >= 0);
    fclose(out);
    NUMBER(remove("every.wide"));
    NUMBER(tmpnam(to) != NULL);
    strcpy(more, "everyXXXXXX");
    NUMBER(close(mkstemp(more)));
    unlink(more);
    strcpy(more, "everyXXXXXX");
    NUMBER(close(mkstemp64(more)));
    unlink(more);
    strcpy(more, "everyXXXXXX");
    NUMBER(close(mkostemp(more, O_CLOEXEC)));
    unlink(more);
    strcpy(more, "everyXXXXXX");
    NUMBER(rmdir(mkdtemp(more)));
}

/* One function for each that takes a list. */
#define LISTED(NAME, CALL, PARAMETERS, LAST)                            \
    static int NAME PARAMETERS                                          \
    {                                                                   \
        va_list list;                                                   \
        va_start(list, LAST);                                           \
        int result = CALL;                                              \
        va_end(list);                                                   \
        return result;                                                  \
    }
LISTED(v_printf, vprintf(format, list), (const char *format, ...), format)
LISTED(checked_printf, vprintf_chk_(1, format, list), (const char *format, ...), format)
LISTED(v_fprintf, vfprintf(f, format, list), (FILE *f, const char *format, ...), format)
LISTED(v_dprintf, vdprintf(f, format, list), (int f, const char *format, ...), format)
LISTED(v_sprintf, vsprintf(to, format, list), (const char *format, ...), format)
LISTED(v_snprintf, vsnprintf(to, size, format, list), (size_t size, const char *format, ...), format)
LISTED(v_asprintf, vasprintf(p, format, list), (char **p, const char *format, ...), format)
LISTED(v_swprintf, vswprintf(wide, size, format, list), (size_t size, const wchar_t *format, ...), format)
LISTED(v_fwprintf, vfwprintf(f, format, list), (FILE *f, const wchar_t *format, ...), format)
LISTED(v_wprintf, vwprintf(format, list), (const wchar_t *format, ...), format)
LISTED(v_sscanf, vsscanf(text, format, list), (const char *text, const char *format, ...), format)
LISTED(v_fscanf, vfscanf(f, format, list), (FILE *f, const char *format, ...), format)
LISTED(v_scanf, vscanf(format, list), (const char *format, ...), format)
LISTED(v_swscanf, vswscanf(text, format, list), (const wchar_t *text, const wchar_t *format, ...), format)
LISTED(v_fwscanf, vfwscanf(f, format, list), (FILE *f, const wchar_t *format, ...), format)
LISTED(v_wscanf, vwscanf(format, list), (const wchar_t *format, ...), format)
LISTED(ov_sscanf, old_vsscanf(text, format, list), (const char *text, const char *format, ...), format)
LISTED(ov_fscanf, old_vfscanf(f, format, list), (FILE *f, const char *format, ...), format)
LISTED(ov_scanf, old_vscanf(format, list), (const char *format, ...), format)
LISTED(ov_swscanf, old_vswscanf(text, format, list), (const wchar_t *text, const wchar_t *format, ...), format)
LISTED(ov_fwscanf, old_vfwscanf(f, format, list), (FILE *f, const wchar_t *format, ...), format)
LISTED(ov_wscanf, old_vwscanf(format, list), (const wchar_t *format, ...), format)

static void printing(void)
{
    int count = 0;
    long count_long = 0;
    signed char count_char = 0;
    char unterminated[4] = { 'a', 'b', 'c', 'd' }, *made;
    static const char counted[] = "%d%hhn %s%n|%ld%ln\n";
    char format[sizeof counted];
    printf("%d %5.2f %c %s %ls %Lf %lld %zu %p %%\n", 1, 2.5, 'x', "text", L"wide", 3.5L, 1ll << 40, n(7), NULL);
    printf("%2$s %1$d %3$*4$d|%5$.*6$s\n", 1, "two", 3, 5, unterminated, 2);
    printf("%.4s %.*s %-8s|%08.3e %a\n", unterminated, (int)n(3), unterminated, "left", 1234.5, 0.5);
    NUMBER(sprintf(to, "%hhd %hd %ld %jd %td", 1, 2, 3l, (intmax_t)4, (ptrdiff_t)5));
    TEXT(to);
    NUMBER(snprintf(to, n(8), "%s and more", from));
    TEXT(to);
    NUMBER(snprintf(NULL, 0, "%s", from));
    NUMBER(asprintf(&made, "%s %d", from, 4));
    TEXT(made);
    fprintf(stdout, "%s %d\n", "fprintf", 5);
    fflush(stdout);
    dprintf(1, "%s %d\n", "dprintf", 6);
    NUMBER(v_printf("%s %f %Lf\n", "v", 1.5, 2.5L));
    NUMBER(checked_printf("%s %f %Lf\n", "v", 1.5, 2.5L));
    NUMBER(v_fprintf(stdout, "%s %d\n", "v", 5));
    fflush(stdout);
    NUMBER(v_dprintf(1, "%s %d\n", "v", 5));
    NUMBER(v_sprintf("%s %d", "v", 5));
    TEXT(to);
    NUMBER(v_snprintf(n(4), "%s", from));
    TEXT(to);
    NUMBER(v_asprintf(&made, "%s %g", from, 1.5));
    TEXT(made);
    NUMBER(swprintf(wide, n(40), L"%ls %s %d", L"wide", "narrow", 3));
    NUMBER(swprintf(wide, n(4), L"%ls", wide_from));
    NUMBER(v_swprintf(n(40), L"%ls %.3s", L"wide", "narrow"));
    SAY("swprintf", "%ls", wide);
    FILE *out = fopen("every.wide", "w+");
    NUMBER(fwprintf(out, L"%d %ls\n", 12, L"wide"));
    NUMBER(v_fwprintf(out, L"%d %ls\n", 34, L"wide"));
    fclose(out);
#ifndef _FORTIFY_SOURCE
    strcpy(format, counted);        /* with it, `n` in memory that may be written is fatal */
    NUMBER(sprintf(to, format, 12, &count_char, from, &count, 34l, &count_long));
    NUMBER(count_char * 10000 + count * 100 + count_long);
#else
    (void)format, (void)count, (void)count_long, (void)count_char;
#endif
    NUMBER(sprintf(to, "%d %n%s", 12, &count, "x"));
    NUMBER(count);
}

static void scanning(void)
{
    int one = 1, two = 2, at = 0;
    short half = 0;
    long large = 0;
    long long larger = 0;
    double real = 0;
    long double longest = 0;
    float single = 0;
    char word[20] = "", letters[4] = "", *made = NULL;
    wchar_t wide_word[20] = L"";
    FILE *in = file();
    NUMBER(sscanf("12 0x1f abc", "%d %i %19s%n", &one, &two, word, &at));
    SAY("scanned", "%d %d %s %d", one, two, word, at);
    NUMBER(sscanf("5 x", "%d %d", &one, &two));
    NUMBER(sscanf("", "%d", &one));
    NUMBER(sscanf("7 8 9", "%*d %hd%ld", &half, &large));
    NUMBER(half * 100 + large);
    NUMBER(sscanf("abc[def] 1.5 2.5 3.5", "%3c[%[^]]] %f %lf %Lf", letters, word, &single, &real, &longest));
    SAY("scanned", "%.3s %s %g %g %Lg", letters, word, single, real, longest);
    NUMBER(sscanf("dynamic 99999999999", "%ms %lld", &made, &larger));
    SAY("scanned", "%s %lld", made, larger);
    NUMBER(sscanf("2 1", "%2$d %1$d", &one, &two));
    NUMBER(one * 10 + two);
    NUMBER(sscanf("wide", "%ls", wide_word));
    SAY("scanned", "%ls", wide_word);
    NUMBER(v_sscanf("12 word", "%d %s", &one, word));
    TEXT(word);
    NUMBER(old_sscanf("13 word", "%d %s", &one, word));
    NUMBER(ov_sscanf("14 word", "%d %s", &one, word));
    NUMBER(one);
    NUMBER(fscanf(in, "%d %s", &one, word));
    NUMBER(old_fscanf(in, "%s", word));
    NUMBER(v_fscanf(in, "%s", word));
    NUMBER(ov_fscanf(in, "%s", word));
    TEXT(word);
    fclose(in);
    NUMBER(freopen("every.txt", "r", stdin) != NULL);
    NUMBER(scanf("%d", &one));
    NUMBER(old_scanf("%s", word));
    NUMBER(v_scanf("%s", word));
    NUMBER(ov_scanf("%s", word));
    TEXT(word);
    NUMBER(swscanf(L"21 wide", L"%d %ls", &one, wide_word));
    NUMBER(old_swscanf(L"22 wide", L"%d %ls", &one, wide_word));
    NUMBER(v_swscanf(L"23 wide", L"%d %s", &one, word));
    NUMBER(ov_swscanf(L"24 wide", L"%d %ls", &one, wide_word));
    SAY("scanned", "%d %s %ls", one, word, wide_word);
    in = fopen("every.wide", "r");
    NUMBER(fwscanf(in, L"%d", &one));
    NUMBER(old_fwscanf(in, L"%ls", wide_word));
    NUMBER(v_fwscanf(in, L"%d", &one));
    NUMBER(ov_fwscanf(in, L"%ls", wide_word));
    SAY("scanned", "%d %ls", one, wide_word);
    fclose(in);
    NUMBER(freopen("every.wide", "r", stdin) != NULL);
    NUMBER(wscanf(L"%d", &one));
    NUMBER(old_wscanf(L"%ls", wide_word));
    NUMBER(v_wscanf(L"%d", &one));
    NUMBER(ov_wscanf(L"%ls", wide_word));
    SAY("scanned", "%d %ls", one, wide_word);
}

static int is_ours(const struct dirent *one)
{
    return !strncmp(one->d_name, "entry", 5);
}

static int is_ours64(const struct dirent64 *one)
{
    return !strncmp(one->d_name, "entry", 5);
}

static int by_name(const struct dirent **one, const struct dirent **another)
{
    return strcmp((*one)->d_name, (*another)->d_name);
}

static int by_name64(const struct dirent64 **one, const struct dirent64 **another)
{
    return strcmp((*one)->d_name, (*another)->d_name);
}

static void files(void)
{
    struct stat status;
    struct stat64 status64;
    struct statfs system;
    struct statfs64 system64;
    struct statvfs volume;
    struct dirent **list;
    struct dirent64 **list64;
    glob_t globbed;
    glob64_t globbed64;
    gid_t groups[64];
    unsigned char pages[4];
    int ends[2], f, mapped;
    struct iovec vectors[2] = { { to, 3 }, { more, 4 } };
    NUMBER(f = openat(AT_FDCWD, "entry1", O_RDWR | O_CREAT, 0600));
    NUMBER(write(f, from, n(19)));
    NUMBER(pwrite(f, "T", 1, 0));
    NUMBER(pwrite64(f, "H", 1, 1));
    NUMBER(lseek(f, 0, SEEK_SET));
    BUFFER(read(f, to, n(5)));
    BUFFER(pread(f, to, n(5), 3));
    BUFFER(pread64(f, to, n(5), 4));
    NUMBER(lseek64(f, 2, SEEK_SET));
    BUFFER(readv(f, vectors, 2));
    BUFFER(preadv(f, vectors, 2, 1));
    BUFFER(preadv64(f, vectors, 2, 2));
    NUMBER(writev(f, vectors, 2));
    NUMBER(pwritev(f, vectors, 2, 20));
    NUMBER(pwritev64(f, vectors, 2, 20));
    NUMBER(ftruncate(f, 30));
    NUMBER(ftruncate64(f, 28));
    NUMBER(fsync(f));
    NUMBER(fstat(f, &status));
    NUMBER(status.st_size);
    NUMBER(fstat64(f, &status64));
    NUMBER(status64.st_size);
    NUMBER(stat("entry1", &status) + lstat("entry1", &status) + fstatat(AT_FDCWD, "entry1", &status, 0));
    NUMBER(status.st_size);
    NUMBER(stat64("entry1", &status64) + lstat64("entry1", &status64) + fstatat64(AT_FDCWD, "entry1", &status64, 0));
    NUMBER(status64.st_size);
    NUMBER(stat("missing", &status));
    NUMBER(statfs(".", &system) + fstatfs(f, &system));
    NUMBER(system.f_bsize > 0);
    NUMBER(statfs64(".", &system64) + fstatfs64(f, &system64));
    NUMBER(system64.f_bsize > 0);
    NUMBER(statvfs(".", &volume) + fstatvfs(f, &volume));
    NUMBER(volume.f_bsize > 0);
    NUMBER(fchmod(f, 0640));
    NUMBER(fcntl(f, F_GETFL) & O_ACCMODE);
    NUMBER(fcntl64(f, F_GETFD));
    NUMBER(ioctl(f, FIONREAD, &mapped));
    NUMBER(mapped);
    char *place = mmap(NULL, 10, PROT_READ, MAP_SHARED, f, 0);
    NUMBER(place[1]);
    NUMBER(mincore(place, 10, pages));
    NUMBER(mprotect(place, 10, PROT_READ));
    place = mremap(place, 10, 12, MREMAP_MAYMOVE);
    NUMBER(munmap(place, 12));
    place = mmap64(NULL, 10, PROT_READ, MAP_SHARED, f, 0);
    NUMBER(place[2]);
    munmap(place, 10);
    NUMBER(close(f));
    NUMBER(close(open("entry2", O_RDWR | O_CREAT, 0600)));
    NUMBER(close(open64("entry3", O_RDWR | O_CREAT, 0600)));
    NUMBER(close(openat64(AT_FDCWD, "entry4", O_RDWR | O_CREAT, 0600)));
    NUMBER(close(creat("entry2", 0600)));
    NUMBER(close(creat64("entry3", 0600)));
    NUMBER(close(open2_("entry3", O_RDONLY)));
    NUMBER(close(open642_("entry3", O_RDONLY)));
    NUMBER(open("missing/x", O_RDONLY));
    NUMBER(truncate("entry1", 9) + truncate64("entry1", 8));
    NUMBER(access("entry1", R_OK) + access("missing", R_OK));
    NUMBER(chmod("entry1", 0600));
    NUMBER(chown("entry1", getuid(), -1));
    NUMBER(link("entry1", "linked"));
    NUMBER(rename("linked", "renamed"));
    NUMBER(unlink("renamed"));
    NUMBER(symlink("entry1", "pointer"));
    BUFFER(readlink("pointer", to, n(60)));
    BUFFER(readlinkat(AT_FDCWD, "pointer", to, n(60)));
    NUMBER(unlinkat(AT_FDCWD, "pointer", 0));
    NUMBER(mkdir("sub", 0700) + mkdirat(AT_FDCWD, "sub2", 0700) + rmdir("sub2"));
    NUMBER(umask(022) >= 0);
    NUMBER(f = open("sub", O_RDONLY | O_DIRECTORY));
    NUMBER(fchdir(f));
    TEXT(strrchr(getcwd(more, n(256)), '/'));
    NUMBER(getcwd(to, n(2)) != NULL);
    NUMBER(chdir(".."));
    NUMBER(dup2(f, 50) + dup(50) * 0);
    NUMBER(close(f));
    DIR *directory = opendir("sub");
    int found = 0;
    for (struct dirent *one; (one = readdir(directory));)
        found += strlen(one->d_name);
    closedir(directory);
    directory = opendir("sub");
    for (struct dirent64 *one; (one = readdir64(directory));)
        found += one->d_name[0];
    closedir(directory);
    NUMBER(found);
    NUMBER(found = scandir(".", &list, is_ours, by_name));
    for (int i = 0; i < found; i++)
        TEXT(list[i]->d_name);
    NUMBER(found = scandir64(".", &list64, is_ours64, by_name64));
    TEXT(found > 0 ? list64[found - 1]->d_name : "none");
    NUMBER(glob("entry*", 0, NULL, &globbed));
    SAY("glob", "%d %s", (int)globbed.gl_pathc, globbed.gl_pathv[1]);
    NUMBER(glob64("entry*", 0, NULL, &globbed64));
    TEXT(globbed64.gl_pathv[2]);
    NUMBER(getgroups(n(64), groups) >= 0);
    NUMBER(pipe(ends));
    NUMBER(write(ends[1], from, n(4)));
    BUFFER(read(ends[0], to, n(9)));
    NUMBER(pipe2(ends, O_NONBLOCK));
    NUMBER(read(ends[0], to, n(9)));
    NUMBER(getpid_() > 1);
    NUMBER(getppid() > 0);
    NUMBER(getuid() == geteuid());
    NUMBER(syscall(SYS_getppid) > 0);
}

static void talk(void)
{
    int pair[2], server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = { AF_UNIX, "every.socket" }, peer;
    socklen_t length = sizeof peer, size = sizeof(int);
    struct iovec vectors[2] = { { to, 3 }, { more, 4 } };
    struct msghdr message = { .msg_iov = vectors, .msg_iovlen = 2 };
    struct pollfd polled[1];
    struct epoll_event event = { EPOLLIN, { 0 } }, events[4];
    int value = 1, made, other_made, set;
    NUMBER(bind(server, (struct sockaddr *)&address, sizeof address));
    NUMBER(listen(server, 2));
    NUMBER(connect(client, (struct sockaddr *)&address, sizeof address));
    NUMBER((made = accept(server, (struct sockaddr *)&peer, &length)) > 0);
    NUMBER(length);
    length = sizeof peer;
    NUMBER(getsockname(made, (struct sockaddr *)&peer, &length));
    TEXT(peer.sun_path);
    length = sizeof peer;
    NUMBER(getpeername(client, (struct sockaddr *)&peer, &length));
    NUMBER(send(client, "hello", n(5), 0));
    BUFFER(recv(made, to, n(9), 0));
    NUMBER(sendto(client, "there", n(5), 0, NULL, 0));
    BUFFER(recvfrom(made, to, n(9), 0, NULL, NULL));
    NUMBER(sendmsg(client, &message, 0));
    NUMBER(recvmsg(made, &message, 0));
    NUMBER(setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof value));
    NUMBER(getsockopt(made, SOL_SOCKET, SO_TYPE, &value, &size));
    NUMBER(value * 10 + size);
    NUMBER(shutdown(made, SHUT_RDWR));
    NUMBER(recv(made, to, n(9), 0));
    NUMBER(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    NUMBER(write(pair[0], "datagram", n(8)));
    polled[0] = (struct pollfd){ pair[1], POLLIN, 0 };
    NUMBER(poll(polled, n(1), 0));
    NUMBER(polled[0].revents);
    NUMBER((set = epoll_create1(0)) > 0);
    NUMBER(epoll_ctl(set, EPOLL_CTL_ADD, pair[1], &event));
    NUMBER(epoll_wait(set, events, n(4), 0));
    NUMBER(events[0].events);
    client = socket(AF_UNIX, SOCK_STREAM, 0);
    NUMBER(connect(client, (struct sockaddr *)&address, sizeof address));
    length = sizeof peer;
    NUMBER((other_made = accept4(server, (struct sockaddr *)&peer, &length, SOCK_CLOEXEC)) > 0);
    unlink("every.socket");
}

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

static void shared(void)
{
    struct rusage usage;
    struct itimerval timer = { { 0, 0 }, { 0, 0 } }, before;
    struct sysinfo information;
    struct tms spent;
    int status;
    struct sembuf step = { 0, 1, 0 };
    struct semid_ds set;
    struct msqid_ds queue;
    struct shmid_ds segment;
    unsigned short values[2] = { 4, 5 };
    struct { long kind; char text[8]; } message = { 1, "message" };
    NUMBER(getrusage(RUSAGE_SELF, &usage));
    NUMBER(times(&spent) != 0);
    NUMBER(getitimer(ITIMER_REAL, &before));
    NUMBER(setitimer(ITIMER_REAL, &timer, &before));
    NUMBER(sysinfo(&information));
    NUMBER(getrandom(to, n(8), 0));
    int id = semget(IPC_PRIVATE, 2, 0600);
    NUMBER(id >= 0);
    NUMBER(semctl(id, 0, SETALL, (union semun){ .array = values }));
    NUMBER(semop(id, &step, 1));
    values[0] = 0;
    NUMBER(semctl(id, 0, GETALL, (union semun){ .array = values }));
    NUMBER(values[0]);
    NUMBER(semctl(id, 0, GETVAL));
    NUMBER(semctl(id, 0, IPC_STAT, (union semun){ .buf = &set }));
    NUMBER(semctl(id, 0, IPC_RMID));
    NUMBER((id = msgget(IPC_PRIVATE, 0600)) >= 0);
    NUMBER(msgsnd(id, &message, 8, 0));
    strcpy(message.text, "");
    NUMBER(msgrcv(id, &message, 8, 0, 0));
    TEXT(message.text);
    memset(&queue, 7, sizeof queue);
    NUMBER(msgctl(id, IPC_STAT, &queue));
    NUMBER(queue.msg_qnum);
    NUMBER(msgctl(id, IPC_RMID, NULL));
    NUMBER((id = shmget(IPC_PRIVATE, 4096, 0600)) >= 0);
    memset(&segment, 7, sizeof segment);
    NUMBER(shmctl(id, IPC_STAT, &segment));
    NUMBER(segment.shm_segsz);
    char *attached = shmat(id, NULL, 0);
    NUMBER(attached != (char *)-1 && !attached[4095]);
    NUMBER(shmdt(attached));
    NUMBER(shmat(-1, NULL, 0) == (void *)-1);
    NUMBER(errno == EINVAL);
    NUMBER(shmctl(id, IPC_RMID, NULL));
    fflush(stdout);
    if (!fork())
        _exit(3);
    NUMBER(wait(&status) > 0);
    NUMBER(status);
    if (!fork())
        _exit(4);
    NUMBER(waitpid(-1, &status, 0) > 0);
    NUMBER(status);
    if (!fork())
        _exit(5);
    NUMBER(wait4(-1, &status, 0, &usage) > 0);
    NUMBER(status);
}

static void programs(void)
{
    static char *words[] = { "echo", "of", "words", NULL }, *variables[] = { "A=1", NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    NUMBER(posix_spawn_file_actions_init(&actions));
    NUMBER(posix_spawnattr_init(&attributes));
    for (int which = 0; which < 10; which++) {
        fflush(stdout);
        if (which < 2) {
            int refused = which
                ? posix_spawnp(&child, "echo", &actions, &attributes, words, variables)
                : posix_spawn(&child, "/bin/echo", &actions, &attributes, words, variables);
            waitpid(child, NULL, 0);        /* its words come first */
            NUMBER(refused);
        } else if (!(child = fork())) {
            switch (which) {
            case 2: execve("/bin/echo", words, variables); break;
            case 3: execv("/bin/echo", words); break;
            case 4: execvp("echo", words); break;
            case 5: execvpe("echo", words, variables); break;
            case 6: execl("/bin/echo", "echo", "one", "two", (char *)NULL); break;
            case 7: execle("/usr/bin/env", "env", "-u", "B", (char *)NULL, variables); break;
            case 8: execlp("echo", "echo", "three", (char *)NULL); break;
            case 9: fexecve(open("/bin/echo", O_RDONLY | O_CLOEXEC), words, variables); break;
            }
            _Exit(9);
        }
        waitpid(child, NULL, 0);
    }
    NUMBER(execv("missing", words));
}

static void conversions(void)
{
    char *end = NULL;
    wchar_t *wide_end = NULL;
    NUMBER(strtoimax("-99999999999z", &end, 10) / 1000);
    TEXT(end);
    NUMBER(strtoumax("7fq", &end, 16));
    TEXT(end);
    NUMBER(wcstoimax(L"-12x", &wide_end, 10));
    SAY("wcstoimax", "%ls", wide_end);
    NUMBER(wcstoumax(L"12y", &wide_end, 10));
    SAY("wcstoumax", "%ls", wide_end);
    NUMBER(wcstoul(L"13a", &wide_end, 10));
    SAY("wcstoul", "%ls", wide_end);
    NUMBER(wcstoll(L"-14b", &wide_end, 10));
    SAY("wcstoll", "%ls", wide_end);
    NUMBER(wcstoull(L"15c", &wide_end, 10));
    SAY("wcstoull", "%ls", wide_end);
    NUMBER(wcstod(L"1.5d", &wide_end) * 2);
    SAY("wcstod", "%ls", wide_end);
    NUMBER(wcstof(L"2.5e", &wide_end) * 2);
    SAY("wcstof", "%ls", wide_end);
    NUMBER(wcsnlen(wide_from, n(7)));
    NUMBER(wcsncmp(wide_from, L"thf", n(2)));
    NUMBER(wcscasecmp(wide_from, L"THE QUICK BROWN FOX"));
    NUMBER(wcsncasecmp(wide_from, L"THX", n(2)));
    NUMBER(wcscoll(wide_from, L"thf") < 0);
    WIDE(wcsxfrm(wide, wide_from, n(40)));
    NUMBER(wcsspn(wide_from, L"eht"));
    NUMBER(wcscspn(wide_from, L"xq"));
    SAY("wcspbrk", "%ls", wcspbrk(wide_from, L"bq"));
    NUMBER(wmemcmp(wide_from, L"thf", n(2)));
    SAY("wmemchr", "%ls", wmemchr(wide_from, L'k', n(12)));
    NUMBER(wmemchr(wide_from, L'K', n(12)) == NULL);
    NUMBER(wcswidth(wide_from, n(5)));
    NUMBER(a64l("ab"));
    TEXT(l64a(n(4000)));
    NUMBER(ntohl(inet_addr("10.1.2.3")));
}

static void more_times(void)
{
    struct tm kept = { .tm_mday = 40, .tm_year = 120 };
    struct timespec spec = { 0, 0 }, times[2] = { { 1000, 0 }, { 2000, 0 } };
    struct timeval values[2] = { { 3000, 0 }, { 4000, 0 } };
    struct utimbuf old = { 5000, 6000 };
    struct itimerspec wanted = { { 0, 0 }, { 1000, 0 } }, set = { { 7, 7 }, { 7, 7 } };
    struct sigevent event = { .sigev_notify = SIGEV_NONE };
    struct stat status;
    struct statx found;
    struct statvfs64 place;
    timer_t timer;
    time_t when = 1000000000;
    NUMBER(timegm(&kept));
    NUMBER(kept.tm_mon);
    TEXT(asctime_r(&kept, to));
    TEXT(ctime_r(&when, to));
    NUMBER(*strptime("2021-02-03x", "%Y-%m-%d", &kept));
    NUMBER(kept.tm_mon);
    WIDE(wcsftime(wide, n(40), L"%Y-%m-%d", &kept));
    NUMBER(timespec_get(&spec, TIME_UTC));
    NUMBER(spec.tv_sec > 1);
    NUMBER(timer_create(CLOCK_REALTIME, &event, &timer));
    NUMBER(timer_settime(timer, 0, &wanted, &set));
    NUMBER(set.it_value.tv_sec + set.it_interval.tv_nsec);
    NUMBER(timer_gettime(timer, &set));
    NUMBER(set.it_value.tv_sec > 900);
    int file = open("every.times", O_RDWR | O_CREAT | O_TRUNC, 0600);
    NUMBER(utime("every.times", &old));
    NUMBER(stat("every.times", &status) + status.st_mtime);
    NUMBER(utimes("every.times", values));
    NUMBER(stat("every.times", &status) + status.st_mtime);
    NUMBER(utimensat(AT_FDCWD, "every.times", times, 0));
    NUMBER(stat("every.times", &status) + status.st_mtime);
    times[1].tv_sec = 7000;
    NUMBER(futimens(file, times));
    NUMBER(statx(AT_FDCWD, "every.times", 0, STATX_BASIC_STATS, &found));
    NUMBER(found.stx_mtime.tv_sec);
    NUMBER(fchmodat(AT_FDCWD, "every.times", 0400, 0));
    NUMBER(faccessat(AT_FDCWD, "every.times", R_OK, 0));
    NUMBER(linkat(AT_FDCWD, "every.times", AT_FDCWD, "every.linked", 0));
    NUMBER(renameat(AT_FDCWD, "every.linked", AT_FDCWD, "every.moved"));
    NUMBER(unlink("every.moved"));
    NUMBER(symlinkat("every.times", AT_FDCWD, "every.link"));
    NUMBER(unlink("every.link"));
    NUMBER(mkfifo("every.fifo", 0600));
    NUMBER(unlink("every.fifo"));
    NUMBER(statvfs64(".", &place));
    NUMBER(place.f_bsize > 0);
    NUMBER(fstatvfs64(file, &place));
    NUMBER(place.f_bsize > 0);
    NUMBER(unlink("every.times"));
    close(file);
}

static void caught(int number)
{
    (void)number;
}

static void processes(void)
{
    sigset_t set, none;
    siginfo_t info;
    int number = 0, status = 0;
    struct rusage usage;
    struct rlimit limit;
    struct rlimit64 limit64;
    struct sched_param priority = { 7 };
    cpu_set_t processors;
    uid_t users[3];
    gid_t groups[3];
    sem_t semaphore;
    off_t place = 2;
    off64_t place64 = 3;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    NUMBER(sigwait(&set, &number));
    NUMBER(number == SIGUSR1);
    raise(SIGUSR1);
    NUMBER(sigwaitinfo(&set, &info) == SIGUSR1);
    NUMBER(info.si_signo == SIGUSR1);
    raise(SIGUSR1);
    NUMBER(sigtimedwait(&set, &info, &(struct timespec){ 5, 0 }) == SIGUSR1);
    NUMBER(info.si_signo == SIGUSR1);
    NUMBER(sigtimedwait(&set, &info, &(struct timespec){ 0, 1000 }));
    signal(SIGUSR1, caught);
    raise(SIGUSR1);
    NUMBER(sigsuspend(&none));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    NUMBER(sem_init(&semaphore, 0, 3));
    NUMBER(sem_getvalue(&semaphore, &number));
    NUMBER(number);
    NUMBER(sched_getaffinity(0, sizeof processors, &processors));
    NUMBER(CPU_COUNT(&processors) > 0);
    NUMBER(sched_setaffinity(0, sizeof processors, &processors));
    NUMBER(sched_getparam(0, &priority));
    NUMBER(priority.sched_priority);
    NUMBER(sched_setparam(0, &priority));
    NUMBER(getresuid(users, users + 1, users + 2));
    NUMBER(users[0] == users[1] && users[1] == users[2]);
    NUMBER(getresgid(groups, groups + 1, groups + 2));
    NUMBER(groups[0] == groups[1] && groups[1] == groups[2]);
    NUMBER(prlimit(0, RLIMIT_NOFILE, NULL, &limit));
    NUMBER(limit.rlim_cur > 0);
    NUMBER(setrlimit(RLIMIT_NOFILE, &limit));
    NUMBER(prlimit64(0, RLIMIT_NOFILE, NULL, &limit64));
    NUMBER(limit64.rlim_cur > 0);
    NUMBER(setrlimit64(RLIMIT_NOFILE, &limit64));
    if (!vfork())
        _exit(3);
    NUMBER(waitid(P_ALL, 0, &info, WEXITED));
    NUMBER(info.si_status);
    if (!vfork())
        _exit(4);
    NUMBER(wait3(&status, 0, &usage) > 0);
    NUMBER(WEXITSTATUS(status));
    NUMBER(usage.ru_nswap);
    int file = open("every.sent", O_RDWR | O_CREAT | O_TRUNC, 0600), other = dup(file);
    NUMBER(write(file, "some text", n(9)));
    NUMBER(sendfile(other, file, &place, n(3)));
    NUMBER(place);
    NUMBER(sendfile64(other, file, &place64, n(3)));
    NUMBER(place64);
    close(file);
    close(other);
    NUMBER(unlink("every.sent"));
    NUMBER(shm_open("/every/none", O_RDWR, 0));
    NUMBER(shm_unlink("/every-none"));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOFBF, 4096);
    strings();
    wide_strings();
    numbers();
    long_doubles();
    structures();
    complex_numbers();
    times_and_places();
    streams();
    printing();
    scanning();
    files();
    talk();
    shared();
    programs();
    general();
    conversions();
    more_times();
    processes();
    further();
    fflush(stdout);
    NUMBER(v_wprintf(L"never\n"));
    NUMBER(wprintf(L"never\n"));
    fflush(stdout);
    FILE *again = freopen("every.out", "w", stdout);
    wprintf(L"%d %ls %s\n", 1, L"wide", "narrow");
    v_wprintf(L"%d %ls %s\n", 2, L"wide", "narrow");
    fclose(again);
    return 42;
}
