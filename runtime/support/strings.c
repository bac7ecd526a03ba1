/* Strings and blocks of memory, a byte at a time: these are for messages, not for speed. */
#include <inst/support.h>

void *MEMCPY(void *to, const void *from, size_t size)
{
    unsigned char *at = to;
    const unsigned char *other = from;
    while (size--)
        *at++ = *other++;
    return to;
}

void *MEMMOVE(void *to, const void *from, size_t size)
{
    unsigned char *at = to;
    const unsigned char *other = from;
    if ((uintptr_t)at - (uintptr_t)other >= size)
        return MEMCPY(to, from, size);
    while (size--)
        at[size] = other[size];
    return to;
}

void *MEMSET(void *to, int byte, size_t size)
{
    for (unsigned char *at = to; size; size--)
        *at++ = byte;
    return to;
}

int MEMCMP(const void *one, const void *other, size_t size)
{
    const unsigned char *a = one, *b = other;
    for (; size; size--, a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}

void BZERO(void *to, size_t size)
{
    MEMSET(to, 0, size);
}

size_t STRLEN(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return end - text;
}

char *STRCPY(char *to, const char *from)
{
    return MEMCPY(to, from, STRLEN(from) + 1);
}

char *STRCAT(char *to, const char *from)
{
    STRCPY(to + STRLEN(to), from);
    return to;
}

int STRCMP(const char *one, const char *other)
{
    return STRNCMP(one, other, SIZE_MAX);
}

int STRNCMP(const char *one, const char *other, size_t size)
{
    for (; size; size--, one++, other++)
        if (*one != *other || !*one)
            return (unsigned char)*one - (unsigned char)*other;
    return 0;
}

char *STRCHR(const char *text, int character)
{
    for (; *text != (char)character; text++)
        if (!*text)
            return 0;
    return (char *)text;
}

static int digit_of(char character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    int letter = character | 0x20;
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
}

long STRTOL(const char *text, char **end, int base)
{
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    int negative = *text == '-';
    text += *text == '-' || *text == '+';
    if ((base == 0 || base == 16) && *text == '0' && (text[1] | 0x20) == 'x') {
        text += 2;
        base = 16;
    } else if (base == 0) {
        base = *text == '0' ? 8 : 10;
    }
    unsigned long number = 0;
    for (; digit_of(*text) < base; text++)
        number = number * base + digit_of(*text);
    if (end)
        *end = (char *)text;
    return negative ? -number : number;
}
