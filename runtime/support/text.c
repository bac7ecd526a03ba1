/* Formatted text into a buffer of its own; see support.h for what formats may hold. */
#include <inst/support.h>

enum { LINE = 1024, DIGITS = 24 };

struct text {
    char *to;
    size_t room;        /* characters that fit, without the terminator */
    size_t length;      /* characters there would be */
};

struct conversion {
    int left, zero, plus, space, alternate;
    int width;
    int precision;      /* -1: none */
    int size;           /* bytes of the number */
};

static void put(struct text *text, char character)
{
    if (text->length < text->room)
        text->to[text->length] = character;
    text->length++;
}

static void put_padded(struct text *text, const struct conversion *how, const char *prefix,
                       const char *from, int length, int zeros)
{
    int all = STRLEN(prefix) + zeros + length;
    int inner = how->zero && !how->left && how->precision < 0 ? how->width - all : 0;
    int outer = inner > 0 ? 0 : how->width - all;
    for (int n = how->left ? 0 : outer; n > 0; n--)
        put(text, ' ');
    while (*prefix)
        put(text, *prefix++);
    for (int n = zeros + (inner > 0 ? inner : 0); n > 0; n--)
        put(text, '0');
    for (int n = 0; n < length; n++)
        put(text, from[n]);
    for (int n = how->left ? outer : 0; n > 0; n--)
        put(text, ' ');
}

/* Divide in halves of 16 bits, with no function of libgcc; return the remainder. */
static unsigned divide(uint64_t *number, unsigned base)
{
    uint32_t parts[4], rest = 0;
    for (int n = 0; n < 4; n++) {
        uint32_t part = rest << 16 | (uint32_t)(*number >> (48 - 16 * n) & 0xffff);
        parts[n] = part / base;
        rest = part % base;
    }
    *number = (uint64_t)(parts[0] << 16 | parts[1]) << 32 | (parts[2] << 16 | parts[3]);
    return rest;
}

static void put_number(struct text *text, struct conversion *how, uint64_t number, unsigned base,
                       const char *prefix, const char *digits)
{
    char room[DIGITS], *first = room + DIGITS;
    if (how->alternate && number)
        prefix = base == 16 ? (digits[10] == 'a' ? "0x" : "0X") : base == 8 ? "0" : prefix;
    while (number)
        *--first = digits[divide(&number, base)];
    if (first == room + DIGITS && how->precision)
        *--first = '0';
    int length = room + DIGITS - first;
    put_padded(text, how, prefix, first, length,
               how->precision > length ? how->precision - length : 0);
}

static const char *number_at(const char *format, int *number, va_list *arguments)
{
    if (*format == '*') {
        *number = va_arg(*arguments, int);
        return format + 1;
    }
    for (*number = 0; *format >= '0' && *format <= '9'; format++)
        *number = *number * 10 + (*format - '0');
    return format;
}

static const char *modifiers(const char *format, struct conversion *how, va_list *arguments)
{
    for (;; format++) {
        if (*format == '-')
            how->left = 1;
        else if (*format == '0')
            how->zero = 1;
        else if (*format == '+')
            how->plus = 1;
        else if (*format == ' ')
            how->space = 1;
        else if (*format == '#')
            how->alternate = 1;
        else
            break;
    }
    format = number_at(format, &how->width, arguments);
    if (how->width < 0) {
        how->left = 1;
        how->width = -how->width;
    }
    if (*format == '.')
        format = number_at(format + 1, &how->precision, arguments);
    for (;; format++) {
        if (*format == 'h')
            how->size = how->size == 2 ? 1 : 2;
        else if (*format == 'l')
            how->size = how->size == 8 || how->size == -1 ? 8 : sizeof(long) == 8 ? 8 : -1;
        else if (*format == 'z' || *format == 't')
            how->size = sizeof(size_t) == 8 ? 8 : 4;
        else if (*format == 'j')
            how->size = 8;
        else
            return format;
    }
}

static void put_string(struct text *text, const struct conversion *how, const char *string)
{
    int length = 0;
    if (!string)
        string = "(null)";
    while ((how->precision < 0 || length < how->precision) && string[length])
        length++;
    struct conversion plain = *how;
    plain.zero = 0;
    put_padded(text, &plain, "", string, length, 0);
}

static void put_signed(struct text *text, struct conversion *how, va_list *arguments)
{
    int64_t number = how->size == 8 ? va_arg(*arguments, int64_t) : va_arg(*arguments, int);
    if (how->size == 2)
        number = (short)number;
    if (how->size == 1)
        number = (signed char)number;
    const char *sign = number < 0 ? "-" : how->plus ? "+" : how->space ? " " : "";
    put_number(text, how, number < 0 ? -(uint64_t)number : (uint64_t)number, 10, sign,
               "0123456789");
}

static void put_unsigned(struct text *text, struct conversion *how, va_list *arguments,
                         char letter)
{
    uint64_t number = how->size == 8 ? va_arg(*arguments, uint64_t)
                                     : va_arg(*arguments, unsigned);
    if (how->size == 2)
        number = (unsigned short)number;
    if (how->size == 1)
        number = (unsigned char)number;
    put_number(text, how, number, letter == 'u' ? 10 : letter == 'o' ? 8 : 16, "",
               letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef");
}

static void convert(struct text *text, char letter, struct conversion *how, va_list *arguments)
{
    char character;
    if (letter == 'd' || letter == 'i') {
        put_signed(text, how, arguments);
    } else if (letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
        put_unsigned(text, how, arguments, letter);
    } else if (letter == 's') {
        put_string(text, how, va_arg(*arguments, const char *));
    } else if (letter == 'c') {
        character = va_arg(*arguments, int);
        put_padded(text, how, "", &character, 1, 0);
    } else if (letter == 'p') {
        put_number(text, how, (uintptr_t)va_arg(*arguments, void *), 16, "0x",
                   "0123456789abcdef");
    } else {
        if (letter != '%')
            put(text, '%');
        put(text, letter);
    }
}

int VSNPRINTF(char *to, size_t size, const char *format, va_list given)
{
    struct text text = { to, size ? size - 1 : 0, 0 };
    va_list arguments;
    va_copy(arguments, given);
    for (; *format; format++) {
        if (*format != '%') {
            put(&text, *format);
            continue;
        }
        struct conversion how = { .precision = -1, .size = 4 };
        format = modifiers(format + 1, &how, &arguments);
        if (!*format)
            break;
        convert(&text, *format, &how, &arguments);
    }
    va_end(arguments);
    if (size)
        to[text.length < text.room ? text.length : text.room] = 0;
    return text.length;
}

int SNPRINTF(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = VSNPRINTF(to, size, format, arguments);
    va_end(arguments);
    return length;
}

static int write_line(int fd, const char *format, va_list arguments)
{
    char line[LINE];
    int length = VSNPRINTF(line, sizeof line, format, arguments);
    return WRITE(fd, line, length < LINE ? length : LINE - 1);
}

int DPRINTF(int fd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int done = write_line(fd, format, arguments);
    va_end(arguments);
    return done;
}

int PRINTF(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int done = write_line(1, format, arguments);
    va_end(arguments);
    return done;
}

int PUTS(const char *line)
{
    return DPRINTF(1, "%s\n", line);
}
