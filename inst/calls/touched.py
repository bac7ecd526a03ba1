"""Functions of the C library and what they touch of the program's memory.

A row is `PROTOTYPE | READS | WRITES`, and `| NUMBER` of the system call it is known to make.
Each part of READS and WRITES is `POINTER: BYTES`, two C expressions in terms of the parameters
and of `result`, or a macro of `inst/wrap.h` or `inst/entries.h` alone; READS without `result` are
reported before the function runs, everything else after it. Results that are structures count as
written where they are returned in memory; texts that never change do not, since several threads may
be returned one at the same time. The headers that declare the functions come before them. Facts: the
C standard, POSIX, and what glibc's manual adds.
"""

ROWS = """
#include <string.h>
void *memcpy(void *to, const void *from, size_t size) | from: size | to: size
void *memmove(void *to, const void *from, size_t size) | from: size | to: size
void *mempcpy(void *to, const void *from, size_t size) | from: size | to: size
void *memccpy(void *to, const void *from, int c, size_t size) | from: result ? (char *)result - (char *)to : size | to: result ? (char *)result - (char *)to : size
void *memset(void *to, int value, size_t size) | | to: size
void *memchr(const void *from, int c, size_t size) | from: result ? (char *)result - (char *)from + 1 : size |
void *memrchr(const void *from, int c, size_t size) | from: size |
void *rawmemchr(const void *from, int c) | from: (char *)result - (char *)from + 1 |
int memcmp(const void *one, const void *other, size_t size) | one: size; other: size |
int bcmp(const void *one, const void *other, size_t size) | one: size; other: size |
void bzero(void *to, size_t size) | | to: size
void explicit_bzero(void *to, size_t size) | | to: size
void bcopy(const void *from, void *to, size_t size) | from: size | to: size
size_t strlen(const char *text) | text: result + 1 |
size_t strnlen(const char *text, size_t limit) | text: result < limit ? result + 1 : limit |
char *strcpy(char *to, const char *from) | from: STRING(from) | to: STRING(to)
char *stpcpy(char *to, const char *from) | from: STRING(from) | to: STRING(to)
char *strncpy(char *to, const char *from, size_t size) | from: LIMITED(from, size) | to: size
char *stpncpy(char *to, const char *from, size_t size) | from: LIMITED(from, size) | to: size
char *strcat(char *to, const char *from) | to: STRING(to); from: STRING(from) | to: STRING(to)
char *strncat(char *to, const char *from, size_t size) | to: STRING(to); from: LIMITED(from, size) | to: STRING(to)
char *strdup(const char *from) | from: STRING(from) | result: result ? STRING(result) : 0
char *strndup(const char *from, size_t size) | from: LIMITED(from, size) | result: result ? STRING(result) : 0
int strcmp(const char *one, const char *other) | one: COMPARED(one, other, ~(size_t)0); other: COMPARED(one, other, ~(size_t)0) |
int strncmp(const char *one, const char *other, size_t size) | one: COMPARED(one, other, size); other: COMPARED(one, other, size) |
int strcoll(const char *one, const char *other) | one: STRING(one); other: STRING(other) |
size_t strxfrm(char *to, const char *from, size_t size) | from: STRING(from) | to: result < size ? result + 1 : size
char *strchr(const char *text, int c) | text: result ? result - text + 1 : STRING(text) |
char *strchrnul(const char *text, int c) | text: result - text + 1 |
char *strrchr(const char *text, int c) | text: STRING(text) |
char *strstr(const char *text, const char *part) | text: STRING(text); part: STRING(part) |
size_t strspn(const char *text, const char *set) | text: result + 1; set: STRING(set) |
size_t strcspn(const char *text, const char *set) | text: result + 1; set: STRING(set) |
char *strpbrk(const char *text, const char *set) | text: result ? result - text + 1 : STRING(text); set: STRING(set) |
char *strtok_r(char *text, const char *set, char **next) | set: STRING(set) | result: result ? STRING(result) : 0; next: sizeof *next
char *strtok(char *text, const char *set) | set: STRING(set) | result: result ? STRING(result) : 0
char *strsep(char **text, const char *set) | set: STRING(set) | result: result ? STRING(result) : 0; text: sizeof *text
char *strerror(int number) | | result: KNOWN_ERROR(number) ? 0 : STRING(result)
char *strcasestr(const char *text, const char *part) | text: STRING(text); part: STRING(part) |
void *memmem(const void *text, size_t size, const void *part, size_t length) | text: size; part: length |
int strverscmp(const char *one, const char *other) | one: STRING(one); other: STRING(other) |
char *strsignal(int number) | | result: KNOWN_SIGNAL(number) ? 0 : STRING(result)
char *strerror_r(int number, char *to, size_t size) | | to: result == to ? STRING(to) : 0
int __xpg_strerror_r(int number, char *to, size_t size) | | to: size ? LIMITED(to, size) : 0
char *strerror_l(int number, locale_t locale) | | result: KNOWN_ERROR(number) ? 0 : STRING(result)
int strcoll_l(const char *one, const char *other, locale_t locale) | one: STRING(one); other: STRING(other) |
size_t strxfrm_l(char *to, const char *from, size_t size, locale_t locale) | from: STRING(from) | to: result < size ? result + 1 : size
char *basename(const char *path) | path: STRING(path) |
#include <libgen.h>
char *__xpg_basename(char *path) | path: path ? STRING(path) : 0 | path: path ? STRING(path) : 0; result: STRING(result)
char *dirname(char *path) | path: path ? STRING(path) : 0 | path: path ? STRING(path) : 0; result: STRING(result)
#include <strings.h>
int strcasecmp(const char *one, const char *other) | one: STRING(one); other: STRING(other) |
int strncasecmp(const char *one, const char *other, size_t size) | one: LIMITED(one, size); other: LIMITED(other, size) |
int strcasecmp_l(const char *one, const char *other, locale_t locale) | one: STRING(one); other: STRING(other) |
int strncasecmp_l(const char *one, const char *other, size_t size, locale_t locale) | one: LIMITED(one, size); other: LIMITED(other, size) |
#include <wchar.h>
size_t wcslen(const wchar_t *text) | text: (result + 1) * sizeof *text |
wchar_t *wcscpy(wchar_t *to, const wchar_t *from) | from: (wcslen(from) + 1) * sizeof *from | to: (wcslen(to) + 1) * sizeof *to
wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t count) | from: count * sizeof *from | to: count * sizeof *to
wchar_t *wmemset(wchar_t *to, wchar_t c, size_t count) | | to: count * sizeof *to
wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count) | from: count * sizeof *from | to: count * sizeof *to
wchar_t *wmempcpy(wchar_t *to, const wchar_t *from, size_t count) | from: count * sizeof *from | to: count * sizeof *to
wchar_t *wcpcpy(wchar_t *to, const wchar_t *from) | from: WIDE(from) | to: WIDE(to)
wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t size) | from: WIDE_LIMITED(from, size) | to: size * sizeof *to
wchar_t *wcpncpy(wchar_t *to, const wchar_t *from, size_t size) | from: WIDE_LIMITED(from, size) | to: size * sizeof *to
wchar_t *wcscat(wchar_t *to, const wchar_t *from) | to: WIDE(to); from: WIDE(from) | to: WIDE(to)
wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t size) | to: WIDE(to); from: WIDE_LIMITED(from, size) | to: WIDE(to)
wchar_t *wcsdup(const wchar_t *from) | from: WIDE(from) | result: result ? WIDE(result) : 0
int wcscmp(const wchar_t *one, const wchar_t *other) | one: WIDE(one); other: WIDE(other) |
wchar_t *wcschr(const wchar_t *text, wchar_t c) | text: result ? (char *)(result + 1) - (char *)text : WIDE(text) |
wchar_t *wcsrchr(const wchar_t *text, wchar_t c) | text: WIDE(text) |
wchar_t *wcsstr(const wchar_t *text, const wchar_t *part) | text: WIDE(text); part: WIDE(part) |
wchar_t *wcstok(wchar_t *text, const wchar_t *set, wchar_t **next) | set: WIDE(set) | result: result ? WIDE(result) : 0; next: sizeof *next
long wcstol(const wchar_t *text, wchar_t **end, int base) | text: WIDE(text) | end: sizeof *end
size_t mbrtowc(wchar_t *to, const char *from, size_t size, mbstate_t *state) | | to: result <= size ? sizeof *to : 0; state: sizeof *state
size_t mbrlen(const char *from, size_t size, mbstate_t *state) | | state: sizeof *state
size_t wcrtomb(char *to, wchar_t c, mbstate_t *state) | | to: result == (size_t)-1 ? 0 : result; state: sizeof *state
size_t mbsrtowcs(wchar_t *to, const char **from, size_t size, mbstate_t *state) | from: sizeof *from | to: to && result != (size_t)-1 ? (result + (result < size)) * sizeof *to : 0; from: to ? sizeof *from : 0; state: sizeof *state
size_t wcsrtombs(char *to, const wchar_t **from, size_t size, mbstate_t *state) | from: sizeof *from | to: to && result != (size_t)-1 ? result + (result < size) : 0; from: to ? sizeof *from : 0; state: sizeof *state
size_t mbsnrtowcs(wchar_t *to, const char **from, size_t most, size_t size, mbstate_t *state) | from: sizeof *from | to: to && result != (size_t)-1 ? (result + (result < size)) * sizeof *to : 0; from: to ? sizeof *from : 0; state: sizeof *state
size_t wcsnrtombs(char *to, const wchar_t **from, size_t most, size_t size, mbstate_t *state) | from: sizeof *from | to: to && result != (size_t)-1 ? result + (result < size) : 0; from: to ? sizeof *from : 0; state: sizeof *state
#include <stdlib.h>
void free(void *block) | |
void *malloc(size_t size) | | result: result ? size : 0
void *calloc(size_t count, size_t size) | | result: result ? count * size : 0
void *realloc(void *old, size_t size) | | result: result ? size : 0
void *aligned_alloc(size_t alignment, size_t size) | | result: result ? size : 0
int posix_memalign(void **place, size_t alignment, size_t size) | | place: result ? 0 : sizeof *place; *place: result ? 0 : size
long strtol(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
unsigned long strtoul(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
long long strtoll(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
unsigned long long strtoull(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
double strtod(const char *text, char **end) | text: STRING(text) | end: sizeof *end
float strtof(const char *text, char **end) | text: STRING(text) | end: sizeof *end
int atoi(const char *text) | text: STRING(text) |
long long atoll(const char *text) | text: STRING(text) |
long atol(const char *text) | text: STRING(text) |
int mbtowc(wchar_t *to, const char *from, size_t size) | | to: from && result >= 0 ? sizeof *to : 0
int wctomb(char *to, wchar_t c) | | to: result > 0 ? result : 0
size_t mbstowcs(wchar_t *to, const char *from, size_t size) | from: STRING(from) | to: to && result != (size_t)-1 ? (result + (result < size)) * sizeof *to : 0
size_t wcstombs(char *to, const wchar_t *from, size_t size) | | to: to && result != (size_t)-1 ? result + (result < size) : 0
long double strtold(const char *text, char **end) | text: STRING(text) | end: sizeof *end
void *reallocarray(void *old, size_t count, size_t size) | | result: result ? count * size : 0
void *memalign(size_t alignment, size_t size) | | result: result ? size : 0
void *valloc(size_t size) | | result: result ? size : 0
void *pvalloc(size_t size) | | result: result ? size : 0
int setenv(const char *name, const char *value, int over) | name: STRING(name); value: STRING(value) | ENVIRONMENT()
int unsetenv(const char *name) | name: STRING(name) | ENVIRONMENT()
int putenv(char *text) | text: STRING(text) | ENVIRONMENT()
int clearenv(void) | | ENVIRONMENT()
char *secure_getenv(const char *name) | name: STRING(name) |
int mkstemp(char *path) | path: STRING(path) | path: STRING(path)
int mkstemp64(char *path) | path: STRING(path) | path: STRING(path)
int mkostemp(char *path, int flags) | path: STRING(path) | path: STRING(path)
char *mkdtemp(char *path) | path: STRING(path) | path: STRING(path)
int rand_r(unsigned *seed) | seed: sizeof *seed | seed: sizeof *seed
double erand48(unsigned short state[3]) | state: 3 * sizeof *state | state: 3 * sizeof *state
long nrand48(unsigned short state[3]) | state: 3 * sizeof *state | state: 3 * sizeof *state
long jrand48(unsigned short state[3]) | state: 3 * sizeof *state | state: 3 * sizeof *state
int getloadavg(double to[], int count) | | to: result > 0 ? result * sizeof *to : 0
char *ecvt(double value, int digits, int *point, int *sign) | | point: sizeof *point; sign: sizeof *sign; result: STRING(result)
char *fcvt(double value, int digits, int *point, int *sign) | | point: sizeof *point; sign: sizeof *sign; result: STRING(result)
int ptsname_r(int file, char *to, size_t size) | | to: result ? 0 : STRING(to)
long strtol_l(const char *text, char **end, int base, locale_t locale) | text: STRING(text) | end: sizeof *end
unsigned long strtoul_l(const char *text, char **end, int base, locale_t locale) | text: STRING(text) | end: sizeof *end
long long strtoll_l(const char *text, char **end, int base, locale_t locale) | text: STRING(text) | end: sizeof *end
unsigned long long strtoull_l(const char *text, char **end, int base, locale_t locale) | text: STRING(text) | end: sizeof *end
double strtod_l(const char *text, char **end, locale_t locale) | text: STRING(text) | end: sizeof *end
float strtof_l(const char *text, char **end, locale_t locale) | text: STRING(text) | end: sizeof *end
long double strtold_l(const char *text, char **end, locale_t locale) | text: STRING(text) | end: sizeof *end
int mkostemp64(char *path, int flags) | path: STRING(path) | path: STRING(path)
int mkstemps(char *path, int length) | path: STRING(path) | path: STRING(path)
int mkstemps64(char *path, int length) | path: STRING(path) | path: STRING(path)
int mkostemps(char *path, int length, int flags) | path: STRING(path) | path: STRING(path)
int mkostemps64(char *path, int length, int flags) | path: STRING(path) | path: STRING(path)
char *mktemp(char *path) | path: STRING(path) | path: STRING(path)
char *canonicalize_file_name(const char *path) | path: STRING(path) | result: result ? STRING(result) : 0
char *ptsname(int file) | | result: result ? STRING(result) : 0
int getsubopt(char **from, char *const *words, char **value) | from: sizeof *from; *from: STRING(*from); STRINGS(words) | from: sizeof *from; *from - 1: (*from)[-1] ? 0 : 1; value: sizeof *value
char *gcvt(double value, int digits, char *to) | | to: STRING(to)
int ecvt_r(double value, int digits, int *point, int *sign, char *to, size_t size) | | point: result ? 0 : sizeof *point; sign: result ? 0 : sizeof *sign; to: result ? 0 : STRING(to)
int fcvt_r(double value, int digits, int *point, int *sign, char *to, size_t size) | | point: result ? 0 : sizeof *point; sign: result ? 0 : sizeof *sign; to: result ? 0 : STRING(to)
int initstate_r(unsigned seed, char *buffer, size_t size, struct random_data *state) | | buffer: result ? 0 : size; state: result ? 0 : sizeof *state
char *initstate(unsigned seed, char *buffer, size_t size) | | buffer: result ? size : 0; result: result ? sizeof(int32_t) : 0
char *setstate(char *state) | state: sizeof(int32_t) | result: result ? sizeof(int32_t) : 0
int setstate_r(char *from, struct random_data *state) | from: sizeof(int32_t) | state: result ? 0 : sizeof *state
int srandom_r(unsigned seed, struct random_data *state) | | state: sizeof *state
int random_r(struct random_data *state, int32_t *to) | | state: sizeof *state; to: result ? 0 : sizeof *to
int srand48_r(long seed, struct drand48_data *state) | | state: sizeof *state
int drand48_r(struct drand48_data *state, double *to) | | state: sizeof *state; to: sizeof *to
int lrand48_r(struct drand48_data *state, long *to) | | state: sizeof *state; to: sizeof *to
int mrand48_r(struct drand48_data *state, long *to) | | state: sizeof *state; to: sizeof *to
int erand48_r(unsigned short seed[3], struct drand48_data *state, double *to) | seed: 3 * sizeof *seed | seed: 3 * sizeof *seed; state: sizeof *state; to: sizeof *to
int nrand48_r(unsigned short seed[3], struct drand48_data *state, long *to) | seed: 3 * sizeof *seed | seed: 3 * sizeof *seed; state: sizeof *state; to: sizeof *to
int jrand48_r(unsigned short seed[3], struct drand48_data *state, long *to) | seed: 3 * sizeof *seed | seed: 3 * sizeof *seed; state: sizeof *state; to: sizeof *to
unsigned short *seed48(unsigned short seed[3]) | seed: 3 * sizeof *seed | result: 3 * sizeof *result
void arc4random_buf(void *to, size_t size) | | to: size
#include <search.h>
void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *)) | | root: sizeof *root; result: result ? sizeof(void *) : 0
void *tfind(const void *key, void *const *root, int (*compare)(const void *, const void *)) | | result: result ? sizeof(void *) : 0
void *tdelete(const void *key, void **root, int (*compare)(const void *, const void *)) | | root: sizeof *root
void *lsearch(const void *key, void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) | | count: sizeof *count; result: size
void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) | count: sizeof *count |
void insque(void *entry, void *before) | | entry: 2 * sizeof(void *); before: sizeof(void *); LINK(entry, 0, 1)
void remque(void *entry) | entry: 2 * sizeof(void *) | LINK(entry, 0, 1); LINK(entry, 1, 0)
#include <stdlib.h>
double atof(const char *text) | text: STRING(text) |
char *getenv(const char *name) | name: STRING(name) |
div_t div(int one, int other) | |
ldiv_t ldiv(long one, long other) | |
lldiv_t lldiv(long long one, long long other) | |
char *realpath(const char *path, char *to) | path: STRING(path) | result: result ? STRING(result) : 0
#include <math.h>
double frexp(double value, int *exponent) | | exponent: sizeof *exponent
double modf(double value, double *whole) | | whole: sizeof *whole
void sincos(double value, double *sine, double *cosine) | | sine: sizeof *sine; cosine: sizeof *cosine
double remquo(double value, double other, int *quotient) | | quotient: sizeof *quotient
double lgamma(double value) | | SIGN()
double lgamma_r(double value, int *sign) | | sign: sizeof *sign
float frexpf(float value, int *exponent) | | exponent: sizeof *exponent
float modff(float value, float *whole) | | whole: sizeof *whole
void sincosf(float value, float *sine, float *cosine) | | sine: sizeof *sine; cosine: sizeof *cosine
float remquof(float value, float other, int *quotient) | | quotient: sizeof *quotient
float lgammaf(float value) | | SIGN()
float lgammaf_r(float value, int *sign) | | sign: sizeof *sign
long double frexpl(long double value, int *exponent) | | exponent: sizeof *exponent
long double modfl(long double value, long double *whole) | | whole: sizeof *whole
void sincosl(long double value, long double *sine, long double *cosine) | | sine: sizeof *sine; cosine: sizeof *cosine
long double remquol(long double value, long double other, int *quotient) | | quotient: sizeof *quotient
long double lgammal(long double value) | | SIGN()
long double lgammal_r(long double value, int *sign) | | sign: sizeof *sign
#include <inttypes.h>
imaxdiv_t imaxdiv(intmax_t one, intmax_t other) | |
#include <malloc.h>
struct mallinfo mallinfo(void) | |
struct mallinfo2 mallinfo2(void) | |
#include <errno.h>
int *__errno_location(void) | | result: sizeof *result
#include <ctype.h>
const unsigned short **__ctype_b_loc(void) | | result: sizeof *result
const __int32_t **__ctype_tolower_loc(void) | | result: sizeof *result
const __int32_t **__ctype_toupper_loc(void) | | result: sizeof *result
#include <locale.h>
char *setlocale(int which, const char *name) | name: name ? STRING(name) : 0 | result: result ? STRING(result) : 0
struct lconv *localeconv(void) | | result: sizeof *result
#include <getopt.h>
int getopt(int count, char *const words[], const char *options) | options: STRING(options) | OPTIONS(count, words)
int getopt_long(int count, char *const words[], const char *options, const struct option *list, int *which) | options: STRING(options) | OPTIONS(count, words); which: sizeof *which; LONG_FLAG(list)
int getopt_long_only(int count, char *const words[], const char *options, const struct option *list, int *which) | options: STRING(options) | OPTIONS(count, words); which: sizeof *which; LONG_FLAG(list)
#include <unistd.h>
void swab(const void *from, void *to, ssize_t size) | from: size > 0 ? size & -2 : 0 | to: size > 0 ? size & -2 : 0
size_t confstr(int which, char *to, size_t size) | | to: result < size ? result : size
int getlogin_r(char *to, size_t size) | | to: result ? 0 : STRING(to)
int ttyname_r(int file, char *to, size_t size) | | to: result ? 0 : STRING(to)
int getdomainname(char *to, size_t size) | | to: result ? 0 : LIMITED(to, size) | __NR_uname
char *getlogin(void) | | result: result ? STRING(result) : 0
char *ttyname(int file) | | result: result ? STRING(result) : 0
char *ctermid(char *to) | | result: STRING(result)
char *getwd(char *to) | | result: result ? STRING(result) : 0
char *get_current_dir_name(void) | | result: result ? STRING(result) : 0
int getentropy(void *to, size_t size) | | to: result ? 0 : size
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) | from: sizeof *from; to: sizeof *to | from: result < 0 ? 0 : sizeof *from; to: result < 0 ? 0 : sizeof *to
#include <regex.h>
int regcomp(regex_t *to, const char *text, int flags) | text: STRING(text) | to: sizeof *to
int regexec(const regex_t *expression, const char *text, size_t count, regmatch_t found[], int flags) | text: flags & REG_STARTEND ? 0 : STRING(text); found: flags & REG_STARTEND ? sizeof *found : 0 | found: result || expression->no_sub ? 0 : count * sizeof *found
size_t regerror(int error, const regex_t *expression, char *to, size_t size) | | to: result < size ? result : size
void regfree(regex_t *expression) | | expression: sizeof *expression
#include <fnmatch.h>
int fnmatch(const char *pattern, const char *text, int flags) | pattern: STRING(pattern); text: STRING(text) |
#include <arpa/inet.h>
int inet_aton(const char *text, struct in_addr *to) | text: STRING(text) | to: result ? sizeof *to : 0
int inet_pton(int family, const char *text, void *to) | text: STRING(text) | to: result != 1 ? 0 : family == AF_INET ? 4 : 16
const char *inet_ntop(int family, const void *from, char *to, socklen_t size) | from: family == AF_INET ? 4 : 16 | to: result ? STRING(to) : 0
struct in_addr inet_makeaddr(in_addr_t network, in_addr_t host) | |
char *inet_ntoa(struct in_addr from) | | result: STRING(result)
#include <spawn.h>
int posix_spawn(pid_t *to, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const words[], char *const variables[]) | path: STRING(path); STRINGS(words); STRINGS(variables) | to: result ? 0 : sizeof *to
int posix_spawnp(pid_t *to, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const words[], char *const variables[]) | path: STRING(path); STRINGS(words); STRINGS(variables) | to: result ? 0 : sizeof *to
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *to) | | to: sizeof *to
int posix_spawnattr_init(posix_spawnattr_t *to) | | to: sizeof *to
#include <signal.h>
int sigemptyset(sigset_t *to) | | to: sizeof *to
int sigfillset(sigset_t *to) | | to: sizeof *to
int sigaddset(sigset_t *to, int number) | | to: sizeof *to
int sigdelset(sigset_t *to, int number) | | to: sizeof *to
int sigorset(sigset_t *to, const sigset_t *one, const sigset_t *other) | one: sizeof *one; other: sizeof *other | to: sizeof *to
int sigandset(sigset_t *to, const sigset_t *one, const sigset_t *other) | one: sizeof *one; other: sizeof *other | to: sizeof *to
int sigaltstack(const stack_t *from, stack_t *to) | from: sizeof *from | to: result ? 0 : sizeof *to | __NR_sigaltstack
int sigpending(sigset_t *to) | | to: result ? 0 : sizeof *to | __NR_rt_sigpending
int sigprocmask(int how, const sigset_t *from, sigset_t *to) | from: _NSIG / 8 | to: result ? 0 : sizeof *to | __NR_rt_sigprocmask
int pthread_sigmask(int how, const sigset_t *from, sigset_t *to) | from: _NSIG / 8 | to: result ? 0 : sizeof *to | __NR_rt_sigprocmask
#include <poll.h> <signal.h>
int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask) | files: count * sizeof *files; timeout: sizeof *timeout; mask: _NSIG / 8 | files: result < 0 ? 0 : count * sizeof *files | PPOLL
#include <time.h>
struct tm *gmtime(const time_t *when) | when: sizeof *when | result: sizeof *result
struct tm *localtime(const time_t *when) | when: sizeof *when | result: sizeof *result
struct tm *gmtime_r(const time_t *when, struct tm *to) | when: sizeof *when | to: result ? sizeof *to : 0
struct tm *localtime_r(const time_t *when, struct tm *to) | when: sizeof *when | to: result ? sizeof *to : 0
time_t mktime(struct tm *from) | from: sizeof *from | from: sizeof *from
char *asctime(const struct tm *from) | from: sizeof *from | result: STRING(result)
char *ctime(const time_t *when) | when: sizeof *when | result: STRING(result)
size_t strftime(char *to, size_t size, const char *format, const struct tm *from) | format: STRING(format); from: sizeof *from | to: result ? result + 1 : 0
size_t strftime_l(char *to, size_t size, const char *format, const struct tm *from, locale_t locale) | format: STRING(format); from: sizeof *from | to: result ? result + 1 : 0
#include <unistd.h>
int pipe(int to[2]) | | to: result ? 0 : 2 * sizeof *to | __NR_pipe2
char *getcwd(char *to, size_t size) | | result: result ? STRING(result) : 0 | __NR_getcwd
int gethostname(char *to, size_t size) | | to: result ? 0 : LIMITED(to, size) | __NR_uname
#include <sys/select.h> <signal.h>
int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout) | in: BITS(count); out: BITS(count); other: BITS(count); timeout: sizeof *timeout | in: result < 0 ? 0 : BITS(count); out: result < 0 ? 0 : BITS(count); other: result < 0 ? 0 : BITS(count); timeout: result < 0 ? 0 : sizeof *timeout | __NR_pselect6
int pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, const sigset_t *mask) | in: BITS(count); out: BITS(count); other: BITS(count); timeout: sizeof *timeout; mask: _NSIG / 8 | in: result < 0 ? 0 : BITS(count); out: result < 0 ? 0 : BITS(count); other: result < 0 ? 0 : BITS(count) | PSELECT
#include <sys/stat.h>
int stat(const char *path, struct stat *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int lstat(const char *path, struct stat *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int fstat(int file, struct stat *to) | | to: result ? 0 : sizeof *to | STAT
int fstatat(int at, const char *path, struct stat *to, int flags) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int stat64(const char *path, struct stat64 *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int lstat64(const char *path, struct stat64 *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int fstat64(int file, struct stat64 *to) | | to: result ? 0 : sizeof *to | STAT
int fstatat64(int at, const char *path, struct stat64 *to, int flags) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
#include <sys/utsname.h>
int uname(struct utsname *to) | | to: result ? 0 : sizeof *to | __NR_uname
#include <sys/time.h>
int adjtime(const struct timeval *from, struct timeval *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int gettimeofday(struct timeval *to, void *zone) | | to: result ? 0 : sizeof *to | GETTIMEOFDAY
time_t time(time_t *to) | | to: sizeof *to | TIME
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *to) | | to: result ? 0 : sizeof *to | CLOCK_GETTIME
int clock_getres(clockid_t clock, struct timespec *to) | | to: result ? 0 : sizeof *to | CLOCK_GETRES
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left) | wanted: sizeof *wanted | left: result == EINTR && !(flags & TIMER_ABSTIME) ? sizeof *left : 0 | CLOCK_NANOSLEEP
int nanosleep(const struct timespec *wanted, struct timespec *left) | wanted: sizeof *wanted | left: result ? sizeof *left : 0 | CLOCK_NANOSLEEP
#include <dirent.h>
struct dirent *readdir(DIR *from) | | result: result ? result->d_reclen : 0
struct dirent64 *readdir64(DIR *from) | | result: result ? result->d_reclen : 0
#include <sys/statfs.h>
int statfs(const char *path, struct statfs *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STATFS
int fstatfs(int file, struct statfs *to) | | to: result ? 0 : sizeof *to | FSTATFS
int statfs64(const char *path, struct statfs64 *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STATFS
int fstatfs64(int file, struct statfs64 *to) | | to: result ? 0 : sizeof *to | FSTATFS
#include <sys/statvfs.h>
int statvfs(const char *path, struct statvfs *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STATFS
int fstatvfs(int file, struct statvfs *to) | | to: result ? 0 : sizeof *to | FSTATFS
#include <sys/sem.h>
int semget(key_t key, int count, int flags) | | | SYSV(semget)
int semop(int id, struct sembuf *steps, size_t count) | steps: count * sizeof *steps | | SYSV_SEMOP
#include <sys/msg.h>
int msgget(key_t key, int flags) | | | SYSV(msgget)
int msgsnd(int id, const void *from, size_t size, int flags) | from: sizeof(long) + size | | SYSV(msgsnd)
ssize_t msgrcv(int id, void *to, size_t size, long kind, int flags) | | to: result < 0 ? 0 : sizeof(long) + result | SYSV(msgrcv)
int msgctl(int id, int command, struct msqid_ds *place) | place: command == IPC_SET ? sizeof *place : 0 | place: result < 0 ? 0 : command == IPC_STAT || command == MSG_STAT ? sizeof *place : command == IPC_INFO || command == MSG_INFO ? sizeof(struct msginfo) : 0 | SYSV(msgctl)
#include <sys/shm.h>
int shmget(key_t key, size_t size, int flags) | | | SYSV(shmget)
int shmctl(int id, int command, struct shmid_ds *place) | place: command == IPC_SET ? sizeof *place : 0 | place: result < 0 ? 0 : command == IPC_STAT || command == SHM_STAT ? sizeof *place : command == IPC_INFO ? sizeof(struct shminfo) : command == SHM_INFO ? sizeof(struct shm_info) : 0 | SYSV(shmctl)
#include <sys/resource.h>
int getrlimit(int which, struct rlimit *to) | | to: result ? 0 : sizeof *to | GETRLIMIT
int getrlimit64(int which, struct rlimit64 *to) | | to: result ? 0 : sizeof *to | __NR_prlimit64
#include <termios.h>
int tcgetattr(int file, struct termios *to) | | to: result ? 0 : sizeof *to | __NR_ioctl
int tcsetattr(int file, int when, const struct termios *from) | from: sizeof *from | | __NR_ioctl
#include <inttypes.h>
intmax_t strtoimax(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
uintmax_t strtoumax(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
#include <inttypes.h> <wchar.h>
intmax_t wcstoimax(const wchar_t *text, wchar_t **end, int base) | text: WIDE(text) | end: sizeof *end
uintmax_t wcstoumax(const wchar_t *text, wchar_t **end, int base) | text: WIDE(text) | end: sizeof *end
#include <wchar.h>
unsigned long wcstoul(const wchar_t *text, wchar_t **end, int base) | text: WIDE(text) | end: sizeof *end
long long wcstoll(const wchar_t *text, wchar_t **end, int base) | text: WIDE(text) | end: sizeof *end
unsigned long long wcstoull(const wchar_t *text, wchar_t **end, int base) | text: WIDE(text) | end: sizeof *end
double wcstod(const wchar_t *text, wchar_t **end) | text: WIDE(text) | end: sizeof *end
long double wcstold(const wchar_t *text, wchar_t **end) | text: WIDE(text) | end: sizeof *end
float wcstof(const wchar_t *text, wchar_t **end) | text: WIDE(text) | end: sizeof *end
size_t wcsnlen(const wchar_t *text, size_t limit) | text: (result < limit ? result + 1 : limit) * sizeof *text |
int wcsncmp(const wchar_t *one, const wchar_t *other, size_t size) | one: WIDE_LIMITED(one, size); other: WIDE_LIMITED(other, size) |
int wcscasecmp(const wchar_t *one, const wchar_t *other) | one: WIDE(one); other: WIDE(other) |
int wcsncasecmp(const wchar_t *one, const wchar_t *other, size_t size) | one: WIDE_LIMITED(one, size); other: WIDE_LIMITED(other, size) |
int wcscoll(const wchar_t *one, const wchar_t *other) | one: WIDE(one); other: WIDE(other) |
size_t wcsxfrm(wchar_t *to, const wchar_t *from, size_t size) | from: WIDE(from) | to: (result < size ? result + 1 : size) * sizeof *to
size_t wcsspn(const wchar_t *text, const wchar_t *set) | text: (result + 1) * sizeof *text; set: WIDE(set) |
size_t wcscspn(const wchar_t *text, const wchar_t *set) | text: (result + 1) * sizeof *text; set: WIDE(set) |
wchar_t *wcspbrk(const wchar_t *text, const wchar_t *set) | text: result ? (char *)(result + 1) - (char *)text : WIDE(text); set: WIDE(set) |
int wmemcmp(const wchar_t *one, const wchar_t *other, size_t count) | one: count * sizeof *one; other: count * sizeof *other |
wchar_t *wmemchr(const wchar_t *from, wchar_t c, size_t count) | from: result ? (char *)(result + 1) - (char *)from : count * sizeof *from |
int wcswidth(const wchar_t *text, size_t size) | text: WIDE_LIMITED(text, size) |
#include <time.h> <wchar.h>
size_t wcsftime(wchar_t *to, size_t size, const wchar_t *format, const struct tm *from) | format: WIDE(format); from: sizeof *from | to: result ? (result + 1) * sizeof *to : 0
#include <stdlib.h>
long a64l(const char *text) | text: STRING(text) |
char *l64a(long value) | | result: STRING(result)
#include <arpa/inet.h>
in_addr_t inet_addr(const char *text) | text: STRING(text) |
#include <time.h>
time_t timegm(struct tm *from) | from: sizeof *from | from: sizeof *from
char *asctime_r(const struct tm *from, char *to) | from: sizeof *from | to: STRING(to)
char *ctime_r(const time_t *when, char *to) | when: sizeof *when | to: STRING(to)
char *strptime(const char *text, const char *format, struct tm *to) | text: STRING(text); format: STRING(format) | to: sizeof *to
int timespec_get(struct timespec *to, int base) | | to: result ? sizeof *to : 0
#include <signal.h> <time.h>
int timer_create(clockid_t clock, struct sigevent *event, timer_t *to) | event: sizeof *event | to: result ? 0 : sizeof *to
int timer_settime(timer_t timer, int flags, const struct itimerspec *from, struct itimerspec *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int timer_gettime(timer_t timer, struct itimerspec *to) | | to: result ? 0 : sizeof *to
#include <signal.h>
int sigsuspend(const sigset_t *mask) | mask: _NSIG / 8 |
int sigwait(const sigset_t *mask, int *to) | mask: _NSIG / 8 | to: result ? 0 : sizeof *to
int sigwaitinfo(const sigset_t *mask, siginfo_t *to) | mask: _NSIG / 8 | to: result > 0 ? sizeof *to : 0
int sigtimedwait(const sigset_t *mask, siginfo_t *to, const struct timespec *timeout) | mask: _NSIG / 8; timeout: sizeof *timeout | to: result > 0 ? sizeof *to : 0
#include <semaphore.h>
int sem_getvalue(sem_t *from, int *to) | | to: result ? 0 : sizeof *to
#include <sched.h>
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *to) | | to: result ? 0 : size
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *from) | from: size |
int sched_getparam(pid_t process, struct sched_param *to) | | to: result ? 0 : sizeof *to
int sched_setparam(pid_t process, const struct sched_param *from) | from: sizeof *from |
int sched_rr_get_interval(pid_t process, struct timespec *to) | | to: result ? 0 : sizeof *to
int getcpu(unsigned *cpu, unsigned *node) | | cpu: result ? 0 : sizeof *cpu; node: result ? 0 : sizeof *node
ssize_t splice(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) | from: sizeof *from; to: sizeof *to | from: result < 0 ? 0 : sizeof *from; to: result < 0 ? 0 : sizeof *to
#include <utime.h>
int utime(const char *path, const struct utimbuf *from) | path: STRING(path); from: sizeof *from |
#include <sys/time.h>
int utimes(const char *path, const struct timeval from[2]) | path: STRING(path); from: 2 * sizeof *from |
#include <fcntl.h> <sys/stat.h>
int utimensat(int at, const char *path, const struct timespec from[2], int flags) | path: path ? STRING(path) : 0; from: 2 * sizeof *from |
int futimens(int file, const struct timespec from[2]) | from: 2 * sizeof *from |
int mkfifo(const char *path, mode_t mode) | path: STRING(path) |
int fchmodat(int at, const char *path, mode_t mode, int flags) | path: STRING(path) |
int statx(int at, const char *path, int flags, unsigned mask, struct statx *to) | path: STRING(path) | to: result ? 0 : sizeof *to
#include <sys/statvfs.h>
int statvfs64(const char *path, struct statvfs64 *to) | path: STRING(path) | to: result ? 0 : sizeof *to
int fstatvfs64(int file, struct statvfs64 *to) | | to: result ? 0 : sizeof *to
#include <unistd.h>
int faccessat(int at, const char *path, int mode, int flags) | path: STRING(path) |
int linkat(int at, const char *old, int other, const char *new, int flags) | old: STRING(old); new: STRING(new) |
int symlinkat(const char *old, int at, const char *new) | old: STRING(old); new: STRING(new) |
int getresuid(uid_t *real, uid_t *effective, uid_t *saved) | | real: result ? 0 : sizeof *real; effective: result ? 0 : sizeof *effective; saved: result ? 0 : sizeof *saved
int getresgid(gid_t *real, gid_t *effective, gid_t *saved) | | real: result ? 0 : sizeof *real; effective: result ? 0 : sizeof *effective; saved: result ? 0 : sizeof *saved
#include <stdio.h>
int renameat(int at, const char *old, int other, const char *new) | old: STRING(old); new: STRING(new) |
#include <sys/resource.h>
int setrlimit(int which, const struct rlimit *from) | from: sizeof *from |
int setrlimit64(int which, const struct rlimit64 *from) | from: sizeof *from |
int prlimit(pid_t process, int which, const struct rlimit *from, struct rlimit *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int prlimit64(pid_t process, int which, const struct rlimit64 *from, struct rlimit64 *to) | from: sizeof *from | to: result ? 0 : sizeof *to
#include <sys/mman.h>
int shm_open(const char *name, int flags, mode_t mode) | name: STRING(name) |
int shm_unlink(const char *name) | name: STRING(name) |
#include <sys/sendfile.h>
ssize_t sendfile(int out, int in, off_t *place, size_t size) | place: sizeof *place | place: sizeof *place
ssize_t sendfile64(int out, int in, off64_t *place, size_t size) | place: sizeof *place | place: sizeof *place
#include <uchar.h>
size_t mbrtoc16(char16_t *to, const char *from, size_t size, mbstate_t *state) | | to: result <= size || result == (size_t)-3 ? sizeof *to : 0; state: sizeof *state
size_t mbrtoc32(char32_t *to, const char *from, size_t size, mbstate_t *state) | | to: result <= size || result == (size_t)-3 ? sizeof *to : 0; state: sizeof *state
size_t c16rtomb(char *to, char16_t c, mbstate_t *state) | | to: result == (size_t)-1 ? 0 : result; state: sizeof *state
size_t c32rtomb(char *to, char32_t c, mbstate_t *state) | | to: result == (size_t)-1 ? 0 : result; state: sizeof *state
#include <pty.h>
int openpty(int *first, int *second, char *name, const struct termios *from, const struct winsize *size) | from: sizeof *from; size: sizeof *size | first: result ? 0 : sizeof *first; second: result ? 0 : sizeof *second; name: result || !name ? 0 : STRING(name)
#include <sys/timerfd.h>
int timerfd_settime(int file, int flags, const struct itimerspec *from, struct itimerspec *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int timerfd_gettime(int file, struct itimerspec *to) | | to: result ? 0 : sizeof *to
#include <sys/eventfd.h>
int eventfd_read(int file, eventfd_t *to) | | to: result ? 0 : sizeof *to
#include <mqueue.h>
int mq_send(mqd_t queue, const char *from, size_t size, unsigned priority) | from: size |
ssize_t mq_receive(mqd_t queue, char *to, size_t size, unsigned *priority) | | to: result < 0 ? 0 : result; priority: result < 0 ? 0 : sizeof *priority
int mq_timedsend(mqd_t queue, const char *from, size_t size, unsigned priority, const struct timespec *limit) | from: size; limit: sizeof *limit |
ssize_t mq_timedreceive(mqd_t queue, char *to, size_t size, unsigned *priority, const struct timespec *limit) | limit: sizeof *limit | to: result < 0 ? 0 : result; priority: result < 0 ? 0 : sizeof *priority
int mq_getattr(mqd_t queue, struct mq_attr *to) | | to: result ? 0 : sizeof *to
int mq_setattr(mqd_t queue, const struct mq_attr *from, struct mq_attr *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int mq_unlink(const char *name) | name: STRING(name) |
#include <aio.h>
ssize_t aio_return(struct aiocb *block) | | block: sizeof *block; AIO_BUFFER(block)
ssize_t aio_return64(struct aiocb64 *block) | | block: sizeof *block; AIO_BUFFER(block)
#include <wordexp.h>
int wordexp(const char *text, wordexp_t *to, int flags) | text: STRING(text) | WORDS(to)
#include <sys/timex.h>
int adjtimex(struct timex *both) | both: sizeof *both | both: result < 0 ? 0 : sizeof *both
int ntp_adjtime(struct timex *both) | both: sizeof *both | both: result < 0 ? 0 : sizeof *both
int clock_adjtime(clockid_t clock, struct timex *both) | both: sizeof *both | both: result < 0 ? 0 : sizeof *both
int ntp_gettimex(struct ntptimeval *to) | | to: result < 0 ? 0 : sizeof *to
#include <dlfcn.h>
int dladdr(const void *address, Dl_info *to) | | to: result ? sizeof *to : 0
#include <fts.h>
FTSENT *fts_read(FTS *tree) | | TREE_FILE(result)
FTSENT64 *fts64_read(FTS64 *tree) | | TREE_FILE(result)
"""
