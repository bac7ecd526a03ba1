/* Structures by value, by pointer, nested, in arrays, assigned whole. */
#include <stdio.h>

struct point {
    int x, y;
};
struct shape {
    char tag;
    struct point corner[3];
    double weight;
    short colour[5];
    struct shape *next;
};

static struct shape shapes[12];

static struct point sum_of(struct shape s)
{
    struct point total = {0, 0};
    for (int i = 0; i < 3; i++) {
        total.x += s.corner[i].x;
        total.y += s.corner[i].y;
    }
    return total;
}

int main(void)
{
    struct shape *list = NULL;
    for (int i = 0; i < 12; i++) {
        struct shape s = {(char)('a' + i), {{i, -i}, {i * i, 3}, {7, i}}, i / 4.0, {(short)i, 1, 2}, list};
        shapes[i] = s;
        list = &shapes[i];
    }
    shapes[4] = shapes[9];
    shapes[4].next = &shapes[2];
    double weight = 0;
    for (struct shape *s = list; s; s = s->next) {
        struct point p = sum_of(*s);
        weight += s->weight;
        printf("%c %d %d %d\n", s->tag, p.x, p.y, s->colour[0] + s->colour[2]);
    }
    printf("%g\n", weight);
    return 0;
}
