/* Variable argument lists of mixed types, past what registers hold, copied and passed on. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static long total(int count, ...)
{
    va_list arguments;
    long sum = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(arguments, int);
    va_end(arguments);
    return sum;
}

static double mixed(const char *types, ...)
{
    va_list arguments, again;
    double sum = 0;
    va_start(arguments, types);
    va_copy(again, arguments);
    for (const char *t = types; *t; t++)
        switch (*t) {
        case 'i': sum += va_arg(arguments, int); break;
        case 'd': sum += va_arg(arguments, double); break;
        case 'l': sum += (double)va_arg(arguments, long long); break;
        case 's': sum += (double)strlen(va_arg(arguments, char *)); break;
        }
    if (*types == 'i')
        sum += va_arg(again, int) * 1000;
    va_end(again);
    va_end(arguments);
    return sum;
}

static int formatted(char *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsprintf(out, format, arguments);
    va_end(arguments);
    return length;
}

int main(void)
{
    char line[100];
    printf("%ld %ld\n", total(3, 1, 2, 3), total(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -12));
    printf("%.2f\n", mixed("idlsidldididid", 3, 1.5, 1LL << 33, "four", 5, 2.25, -7LL, 0.5, 9, 8.5, 7, 6.5, 5, 4.5));
    int length = formatted(line, "%d-%s-%.3f-%llx-%c", 42, "text", 2.5, 0x123456789abcULL, 'z');
    printf("%d %s\n", length, line);
    return 0;
}
