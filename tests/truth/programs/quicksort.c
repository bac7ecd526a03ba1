/* The C library's qsort and bsearch calling back into the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    char name[12];
    short age;
    double height;
};

static int compared;

static int by_age(const void *a, const void *b)
{
    const struct person *x = a, *y = b;
    compared++;
    return x->age != y->age ? x->age - y->age : strcmp(x->name, y->name);
}

static int by_height(const void *a, const void *b)
{
    double x = ((const struct person *)a)->height, y = ((const struct person *)b)->height;
    return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    struct person people[25];
    int numbers[60];
    for (int i = 0; i < 25; i++) {
        sprintf(people[i].name, "p%02d", i * 7 % 25);
        people[i].age = (short)(i * 37 % 11);
        people[i].height = (i * 53 % 29) / 8.0;
    }
    qsort(people, 25, sizeof people[0], by_age);
    printf("%s %s %d\n", people[0].name, people[24].name, compared > 40);
    qsort(people, 25, sizeof people[0], by_height);
    printf("%.3f %.3f\n", people[1].height, people[23].height);
    for (int i = 0; i < 60; i++)
        numbers[i] = i * 97 % 61;
    qsort(numbers, 60, sizeof numbers[0], by_number);
    int key = 30, *found = bsearch(&key, numbers, 60, sizeof key, by_number);
    printf("%d\n", found ? (int)(found - numbers) : -1);
    return 0;
}
