/* malloc, realloc, free: a growing array and a tree. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    int key, count;
};

static struct node *insert(struct node *tree, int key)
{
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        tree->key = key;
    }
    if (key < tree->key)
        tree->left = insert(tree->left, key);
    else if (key > tree->key)
        tree->right = insert(tree->right, key);
    else
        tree->count++;
    return tree;
}

static long walk(const struct node *tree, int depth)
{
    if (!tree)
        return 0;
    return walk(tree->left, depth + 1) + (long)tree->key * tree->count * depth + walk(tree->right, depth + 1);
}

static void release(struct node *tree)
{
    if (tree) {
        release(tree->left);
        release(tree->right);
        free(tree);
    }
}

int main(void)
{
    struct node *tree = NULL;
    int *list = NULL, room = 0, used = 0;
    unsigned state = 1;
    for (int i = 0; i < 300; i++) {
        state = state * 1103515245 + 12345;
        tree = insert(tree, (int)(state >> 16 & 127));
        if (used == room)
            list = realloc(list, (size_t)(room = room * 2 + 4) * sizeof *list);
        list[used++] = (int)(state >> 8 & 0xff);
    }
    int sum = 0;
    for (int i = 0; i < used; i++)
        sum += list[i] * (i & 7);
    printf("%ld %d\n", walk(tree, 1), sum);
    release(tree);
    free(list);
    return 0;
}
