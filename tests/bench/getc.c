/* The yardstick for s-expressions: tokenise with getc, convert and keep nothing. */
#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    unsigned long tokens = 0, records = 0;
    int depth = 0, within = 0, quoted = 0, byte;
    if (!file)
        return 2;
    while ((byte = getc(file)) != EOF) {
        if (quoted) {
            quoted = byte != '"';
        } else if (byte == '(') {
            depth++, tokens++, within = 0;
        } else if (byte == ')') {
            tokens++, within = 0;
            records += --depth == 0;
        } else if (byte == '"') {
            quoted = 1, tokens++, within = 0;
        } else if (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r') {
            within = 0;
        } else if (!within) {
            within = 1, tokens++;
        }
    }
    printf("%lu %lu\n", records, tokens);
    return 0;
}
