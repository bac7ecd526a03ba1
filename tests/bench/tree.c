/* Words in a binary tree: insertion, lookups and removal, with malloc, free and strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *left, *right;
    char *word;
    int count;
};

static unsigned state = 12345;
static struct node *root;

static unsigned chance(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void make_word(char *to, unsigned number)
{
    char *at = to;
    do
        *at++ = 'a' + number % 26;
    while (number /= 26);
    *at = 0;
    for (char *low = to, *high = at - 1; low < high; low++, high--) {
        char c = *low;
        *low = *high;
        *high = c;
    }
}

static struct node *insert(struct node *tree, const char *word)
{
    if (!tree) {
        tree = malloc(sizeof *tree);
        tree->left = tree->right = NULL;
        tree->word = malloc(strlen(word) + 1);
        strcpy(tree->word, word);
        tree->count = 1;
        return tree;
    }
    const char *a = word, *b = tree->word;
    while (*a && *a == *b)
        a++, b++;
    if (*a < *b)
        tree->left = insert(tree->left, word);
    else if (*a > *b)
        tree->right = insert(tree->right, word);
    else
        tree->count++;
    return tree;
}

static int found(const struct node *tree, const char *word)
{
    while (tree) {
        int order = strcmp(word, tree->word);
        if (!order)
            return tree->count;
        tree = order < 0 ? tree->left : tree->right;
    }
    return 0;
}

static int total(const struct node *tree)
{
    return tree ? tree->count + total(tree->left) + total(tree->right) : 0;
}

static void drop(struct node *tree)
{
    if (!tree)
        return;
    drop(tree->left);
    drop(tree->right);
    free(tree->word);
    free(tree);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 4, sum = 0;
    for (int round = 0; round < rounds; round++) {
        char word[16];
        for (int n = 0; n < 10000; n++) {
            make_word(word, chance() % 8000 * 7919u);
            root = insert(root, word);
        }
        for (int n = 0; n < 10000; n++) {
            make_word(word, chance() % 16000 * 7919u);
            sum += found(root, word);
        }
        sum += total(root);
        drop(root);
        root = NULL;
    }
    printf("%d words\n", sum);
    return 0;
}
