/* Strings: how much of them is touched. */
#include <inst/wrap.h>

size_t inst_limited(const char *text, size_t limit)
{
    size_t n = 0;
    while (n < limit && text[n])
        n++;
    return n < limit ? n + 1 : limit;
}

size_t inst_compared(const char *one, const char *other, size_t limit)
{
    size_t n = 0;
    while (n < limit && one[n] && one[n] == other[n])
        n++;
    return n < limit ? n + 1 : limit;
}

size_t inst_wide(const __WCHAR_TYPE__ *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return (n + 1) * sizeof *text;
}

size_t inst_wide_limited(const __WCHAR_TYPE__ *text, size_t limit)
{
    size_t n = 0;
    while (n < limit && text[n])
        n++;
    return (n < limit ? n + 1 : limit) * sizeof *text;
}

static void strings(void (*report)(const volatile void *, size_t), char *const *list)
{
    size_t count = 0;
    while (list && list[count]) {
        report(list[count], STRING(list[count]));
        count++;
    }
    report(list, (count + 1) * sizeof *list);
}

void inst_strings_read(char *const *list)
{
    strings(inst_reads, list);
}

void inst_strings_written(char *const *list)
{
    strings(inst_writes, list);
}
