/* String code: by hand, byte by byte, and through the C library. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static char text[] = "The quick brown fox, having jumped over 13 lazy dogs, slept.";

static size_t length_of(const char *s)
{
    const char *start = s;
    while (*s)
        s++;
    return (size_t)(s - start);
}

static void reverse(char *s)
{
    char *end = s + length_of(s);
    while (s < --end) {
        char c = *s;
        *s++ = *end;
        *end = c;
    }
}

static int words(const char *s)
{
    int count = 0, inside = 0;
    for (; *s; s++)
        if (isalpha((unsigned char)*s))
            count += !inside, inside = 1;
        else
            inside = 0;
    return count;
}

static int matches(const char *pattern, const char *s)
{
    if (!*pattern)
        return !*s;
    if (*pattern == '*')
        return matches(pattern + 1, s) || (*s && matches(pattern, s + 1));
    return *s && (*pattern == '?' || *pattern == *s) && matches(pattern + 1, s + 1);
}

int main(void)
{
    char copy[80], *token;
    strcpy(copy, text);
    reverse(copy);
    printf("%s\n%d %d\n", copy, words(text), matches("The*f?x*slept?", text));
    strcpy(copy, text);
    for (token = strtok(copy, " ,."); token; token = strtok(NULL, " ,."))
        printf("%c%d ", toupper((unsigned char)*token), (int)length_of(token));
    printf("\n%d %d\n", (int)(strchr(text, 'j') - text), strncmp(text, "The quack", 6));
    return 0;
}
