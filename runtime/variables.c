/* Variables of the environment whose values are numbers or sizes. */
#include "output.h"

static int shift_of(char letter)
{
    switch (letter | 32) {
    case 'k': return 10;
    case 'm': return 20;
    case 'g': return 30;
    }
    return 0;
}

/* Read digits, and a letter for 1,024s where there is one; return where it ends, or 0. */
static const char *read_digits(const char *at, uint64_t *number)
{
    enum { MOST_DIGITS = 12 };
    const char *start = at;
    for (*number = 0; *at >= '0' && *at <= '9' && at - start < MOST_DIGITS; at++)
        *number = (*number << 3) + (*number << 1) + (*at - '0');
    if (at == start)
        return 0;
    int shift = shift_of(*at);
    *number <<= shift;
    return shift ? at + 1 : at;
}

static void report(const char *variable, const char *expected, const char *value)
{
    char text[120], *end = text + sizeof text - 1;
    char *at = inst_text(inst_text(text, end, variable), end, " is not ");
    *inst_text(inst_text(at, end, expected), end, ", so it is ignored: ") = 0;
    inst_message(text, value, 0);
}

static int read_one(const char *variable, const char *expected, uint64_t *number)
{
    const char *value = inst_environment(variable);
    if (!value || !*value)
        return 0;
    const char *end = read_digits(value, number);
    int is_right = end && !*end && *number;
    if (!is_right)
        report(variable, expected, value);
    return is_right;
}

int inst_read_number(const char *variable, uint64_t *number)
{
    return read_one(variable, "a number above 0", number);
}

int inst_read_size(const char *variable, uint64_t *size)
{
    return read_one(variable, "a size such as 64M", size);
}

int inst_read_pair(const char *variable, uint64_t *first, uint64_t *second)
{
    const char *value = inst_environment(variable);
    if (!value || !*value)
        return 0;
    uint64_t numbers[2] = { 0, 0 };
    const char *end = read_digits(value, &numbers[0]);
    end = end && *end == '/' ? read_digits(end + 1, &numbers[1]) : 0;
    int is_right = end && !*end && numbers[0] && numbers[1];
    if (!is_right)
        report(variable, "two numbers above 0 such as 10K/1M", value);
    *first = is_right ? numbers[0] : 0;
    *second = is_right ? numbers[1] : 0;
    return is_right;
}
