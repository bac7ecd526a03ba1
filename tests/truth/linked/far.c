/* What near.c takes from elsewhere: from another object, or from a shared library. */
int away = 7, list[20];
__thread int other = 9;

static int calls, seen[20];

int *where(int n)
{
    list[n] += away;
    seen[n] = ++calls;
    other += seen[n / 2];
    return &list[n];
}
