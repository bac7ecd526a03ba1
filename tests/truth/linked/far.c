/* What near.c takes from elsewhere: from another object, or from a shared library. */
int away = 7, list[20];
__thread int other = 9;

int *where(int n)
{
    list[n] += away;
    return &list[n];
}
