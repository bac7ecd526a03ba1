/* A chained hash table of words, with growth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    unsigned hash;
    int count;
    char word[12];
};

static struct entry **table;
static unsigned size = 4, used;

static unsigned hash_of(const char *word)
{
    unsigned hash = 2166136261u;
    while (*word)
        hash = (hash ^ (unsigned char)*word++) * 16777619u;
    return hash;
}

static void grow(void)
{
    struct entry **larger = calloc(size * 2, sizeof *larger);
    for (unsigned i = 0; i < size; i++)
        for (struct entry *e = table[i], *next; e; e = next) {
            next = e->next;
            e->next = larger[e->hash % (size * 2)];
            larger[e->hash % (size * 2)] = e;
        }
    free(table);
    table = larger;
    size *= 2;
}

static void add(const char *word)
{
    unsigned hash = hash_of(word);
    struct entry *e;
    for (e = table[hash % size]; e; e = e->next)
        if (e->hash == hash && !strcmp(e->word, word)) {
            e->count++;
            return;
        }
    e = malloc(sizeof *e);
    strcpy(e->word, word);
    e->hash = hash;
    e->count = 1;
    e->next = table[hash % size];
    table[hash % size] = e;
    if (++used > size)
        grow();
}

int main(void)
{
    char word[12];
    unsigned sum = 0;
    table = calloc(size, sizeof *table);
    for (int i = 0; i < 200; i++) {
        sprintf(word, "w%d", i * i % 83);
        add(word);
    }
    for (unsigned i = 0; i < size; i++)
        for (struct entry *e = table[i]; e; e = e->next)
            sum += e->hash * (unsigned)e->count;
    printf("%u %u %u\n", used, size, sum);
    return 0;
}
