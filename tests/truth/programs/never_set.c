/* Variables that are read and never set: there is what other calls have left on the stack, and
 * what hooks have.  Nothing of that is printed. */
#include <stdio.h>
#include <string.h>

enum { BYTES = 512 };

static unsigned long seen;

__attribute__((noinline)) static void fill(int with)
{
    volatile unsigned char bytes[BYTES];
    for (int i = 0; i < BYTES; i++)
        bytes[i] = with;
}

__attribute__((noinline)) static void look(void)
{
    volatile unsigned char bytes[BYTES];
    unsigned long sum = 0;
    for (int i = 0; i < BYTES; i++)
        sum += bytes[i];
    seen += sum;
}

int main(void)
{
    char text[64];
    for (int i = 1; i < 4; i++) {
        fill(i);
        memset(text, '0' + i, sizeof text - 1);
        text[i] = 0;
        look();
        printf("%zu %s\n", strlen(text), text);
    }
    return seen == 0;
}
