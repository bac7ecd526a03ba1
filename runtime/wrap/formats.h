/* What printf and scanf touch by their format: strings, and the destinations of results.
   Included with CHARACTER, PRINT, PRINTED and SCAN defined: once for char, once for wchar_t.

   Formats are read as the C standard and glibc's manual define them; after a conversion that
   neither defines nothing more is reported.  */
#include <inst/wrap.h>
#include <inst/formats.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

enum { MOST = 64 };             /* arguments that are looked at */
enum kind { INTEGER, LONG, WIDEST, DOUBLE, LONG_DOUBLE, POINTER };
enum { NO_PRECISION = -1, NO_ARGUMENT = -1 };

struct conversion {
    int argument, width_argument, precision_argument;   /* from 0, or NO_ARGUMENT */
    long width, precision;
    int allocates;              /* scanf's m */
    int suppressed;             /* scanf's * */
    int size;                   /* of an integer, in bytes */
    int longs;                  /* how many l; L is 2 */
    CHARACTER letter;
};

static long number(const CHARACTER **at)
{
    long value = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value < INT32_MAX / 10 - 1 ? value * 10 + (**at - '0') : value;
    return value;
}

/* Read `N$` if it is there: the argument, from 0. */
static int position(const CHARACTER **at)
{
    const CHARACTER *here = *at;
    long value = number(&here);
    if (!value || *here != '$')
        return NO_ARGUMENT;
    *at = here + 1;
    return value - 1;
}

static int starred(const CHARACTER **at, int *next)
{
    ++*at;
    int place = position(at);
    return place == NO_ARGUMENT ? (*next)++ : place;
}

static void length(const CHARACTER **at, struct conversion *found)
{
    found->size = sizeof(int);
    for (;; ++*at) {
        switch (**at) {
        case 'h':
            found->size = found->size == sizeof(short) ? 1 : sizeof(short);
            break;
        case 'l':
            found->size = found->longs++ ? sizeof(long long) : sizeof(long);
            break;
        case 'L': case 'q':
            found->longs = 2;
            found->size = sizeof(long long);
            break;
        case 'j':
            found->size = sizeof(intmax_t);
            break;
        case 'z': case 'Z':
            found->size = sizeof(size_t);
            break;
        case 't':
            found->size = sizeof(ptrdiff_t);
            break;
        default:
            return;
        }
    }
}

static int is_one_of(CHARACTER letter, const char *letters)
{
    for (; *letters; letters++)
        if (letter == (CHARACTER)*letters)
            return 1;
    return 0;
}

static int is_flag(CHARACTER letter)
{
    switch (letter) {
    case '-': case '+': case ' ': case '#': case '0': case '\'': case 'I':
        return 1;
    }
    return 0;
}

static int is_length(CHARACTER letter)
{
    switch (letter) {
    case 'h': case 'l': case 'L': case 'q': case 'j': case 'z': case 'Z': case 't':
        return 1;
    }
    return 0;
}

/* Read a conversion of printf after its `%`; return what follows it. */
static const CHARACTER *printing(const CHARACTER *at, struct conversion *found, int *next)
{
    *found = (struct conversion){ NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, 0, NO_PRECISION };
    found->argument = position(&at);
    while (is_flag(*at))
        at++;
    if (*at == '*')
        found->width_argument = starred(&at, next);
    else
        number(&at);
    if (*at == '.') {
        at++;
        if (*at == '*')
            found->precision_argument = starred(&at, next);
        else if (*at == '-')
            at++, number(&at);
        else
            found->precision = number(&at);
    }
    length(&at, found);
    found->letter = *at;
    if (found->argument == NO_ARGUMENT && *at && !is_one_of(*at, "%m"))
        found->argument = (*next)++;
    return *at ? at + 1 : at;
}

/* Return an argument's type; -1: unknown. */
static int kind_of(const struct conversion *one)
{
    if (is_one_of(one->letter, "spSn"))
        return POINTER;
    if (is_one_of(one->letter, "aAeEfFgG"))
        return one->longs == 2 ? LONG_DOUBLE : DOUBLE;
    if (is_one_of(one->letter, "cC"))
        return INTEGER;
    if (is_one_of(one->letter, "diouxXbB"))
        return one->size <= (int)sizeof(int) && !one->longs ? INTEGER
             : one->size == sizeof(long) ? LONG : WIDEST;
    return -1;
}

/* Find what the arguments are; return how many, or stop before what is not understood. */
static int kinds_of(const CHARACTER *format, unsigned char *kinds)
{
    int next = 0, count = 0;
    while (*format) {
        struct conversion one;
        if (*format++ != '%')
            continue;
        format = printing(format, &one, &next);
        const int stars[] = { one.width_argument, one.precision_argument };
        for (int n = 0; n < 2; n++)
            if (stars[n] >= count && stars[n] < MOST)
                count = stars[n] + 1;
        if (one.argument == NO_ARGUMENT)
            continue;
        int kind = kind_of(&one);
        if (kind < 0 || one.argument >= MOST)
            break;
        kinds[one.argument] = kind;
        if (one.argument >= count)
            count = one.argument + 1;
    }
    return count;
}

static void take(long long *values, const unsigned char *kinds, int count, va_list *list)
{
    for (int n = 0; n < count; n++) {
        values[n] = 0;
        switch (kinds[n]) {
        case INTEGER: values[n] = va_arg(*list, int); break;
        case LONG: values[n] = va_arg(*list, long); break;
        case WIDEST: values[n] = va_arg(*list, long long); break;
        case DOUBLE: (void)va_arg(*list, double); break;
        case LONG_DOUBLE: (void)va_arg(*list, long double); break;
        case POINTER: values[n] = (uintptr_t)va_arg(*list, void *); break;
        }
    }
}

static size_t wide_size(const wchar_t *text, size_t most)
{
    size_t n = 0;
    while (n < most && text[n])
        n++;
    return (n < most ? n + 1 : n) * sizeof *text;
}

static void string_is_read(const struct conversion *one, const void *text, long precision)
{
    size_t most = precision < 0 ? ~(size_t)0 : (size_t)precision;
    if (text && (one->longs || one->letter == 'S'))
        inst_reads(text, wide_size(text, most));
    else if (text)
        inst_reads(text, LIMITED(text, most));
}

enum { TEXTS = 1, COUNTS = 2 };

/* Return whether a format prints strings, and counts of characters (%n): most have neither.  `size` is that
   of the format in bytes. */
static int touched_by(const CHARACTER *format, size_t *size)
{
    const CHARACTER *at = format;
    int found = 0;
    for (; *at; at++) {
        if (*at != '%')
            continue;
        do
            at++;
        while ((*at >= ' ' && *at <= '9' && *at != '%') || is_length(*at) || *at == 'I');
        if (!*at)
            break;
        found |= *at == 's' || *at == 'S' ? TEXTS : *at == 'n' ? COUNTS : 0;
    }
    *size = (at - format + 1) * sizeof *at;
    return found;
}

/* Report the strings that conversions have read, or the counts that they have written. */
static void report_conversions(int which, const CHARACTER *format, va_list given)
{
    unsigned char kinds[MOST] = { INTEGER };
    long long values[MOST];
    va_list list;
    va_copy(list, given);
    int count = kinds_of(format, kinds), next = 0;
    take(values, kinds, count, &list);
    va_end(list);
    while (*format) {
        struct conversion one;
        if (*format++ != '%')
            continue;
        format = printing(format, &one, &next);
        if (one.argument == NO_ARGUMENT)
            continue;
        if (one.argument >= count)
            return;
        long precision = one.precision;
        if (one.precision_argument != NO_ARGUMENT)
            precision = one.precision_argument < count ? values[one.precision_argument] : 0;
        void *pointer = (void *)(uintptr_t)values[one.argument];
        if (which == TEXTS && is_one_of(one.letter, "sS"))
            string_is_read(&one, pointer, precision);
        if (which == COUNTS && one.letter == 'n')
            inst_writes(pointer, one.size);
    }
}

int PRINT(const CHARACTER *format, va_list list)
{
    size_t size;
    int touched = touched_by(format, &size);
    inst_reads(format, size);
    if (touched & TEXTS)
        report_conversions(TEXTS, format, list);
    return touched & COUNTS;
}

void PRINTED(const CHARACTER *format, va_list list)
{
    report_conversions(COUNTS, format, list);
}

/* Read a conversion of scanf after its `%`; return what follows it. */
static const CHARACTER *scanning(const CHARACTER *at, struct conversion *found)
{
    *found = (struct conversion){ NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, 0, NO_PRECISION };
    found->argument = position(&at);
    for (; is_one_of(*at, "*'I"); at++)
        found->suppressed |= *at == '*';
    found->width = number(&at);
    if (*at == 'm')
        found->allocates = 1, at++;
    length(&at, found);
    found->letter = *at;
    if (*at == '[') {
        at += at[1] == '^' ? 2 : 1;
        if (*at == ']')
            at++;
        while (*at && *at != ']')
            at++;
    }
    return *at ? at + 1 : at;
}

static size_t scanned_size(const struct conversion *one, const void *to)
{
    size_t unit = one->longs || is_one_of(one->letter, "CS") ? sizeof(wchar_t) : 1;
    if (is_one_of(one->letter, "cC"))
        return unit * (one->width ? one->width : 1);
    if (is_one_of(one->letter, "sS["))
        return unit == 1 ? STRING((const char *)to) : wide_size(to, ~(size_t)0);
    if (one->letter == 'p')
        return sizeof(void *);
    if (is_one_of(one->letter, "aAeEfFgG"))
        return one->longs == 2 ? sizeof(long double) : one->longs ? sizeof(double) : sizeof(float);
    return one->size;
}

static void is_scanned(const struct conversion *one, void *to)
{
    if (one->allocates) {
        inst_writes(to, sizeof(void *));
        to = *(void **)to;
    }
    if (to)
        inst_writes(to, scanned_size(one, to));
}

/* Where the nth argument of scanf leads: all of them are pointers. */
static void *pointer_of(va_list given, int n)
{
    va_list list;
    void *pointer;
    va_copy(list, given);
    do
        pointer = va_arg(list, void *);
    while (n--);
    va_end(list);
    return pointer;
}

/* `result` conversions were made, and an `n` between or after them may have been. */
void SCAN(const CHARACTER *format, va_list given, int result)
{
    int next = 0;
    inst_reads(format, sizeof *format == 1 ? STRING((const char *)format)
                                           : wide_size((const wchar_t *)format, ~(size_t)0));
    while (*format && result >= 0) {
        struct conversion one;
        if (*format++ != '%')
            continue;
        format = scanning(format, &one);
        if (one.letter == '%' || one.suppressed)
            continue;
        if (!is_one_of(one.letter, "diouxXbaAeEfFgGsScC[pn") || next >= MOST)
            return;
        if (one.argument == NO_ARGUMENT)
            one.argument = next++;
        if (one.letter != 'n' && result-- == 0)
            return;
        is_scanned(&one, pointer_of(given, one.argument));
    }
}
