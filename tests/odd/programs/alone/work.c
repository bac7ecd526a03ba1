/* Exits with 56: data that only relocation finds, and the count of a hook library's events if there is one. */
static int table[16];
int *const places[2] = {table + 3, table + 5};
#ifdef TRACED
extern unsigned seen;
#endif

__attribute__((noinline)) static int sum(int n)
{
    for (int i = 0; i < 16; i++)
        table[i] += i * n;
    return *places[0] + *places[1];
}

int work(void)
{
    int result = sum(2) + sum(3);
#ifdef TRACED
    return seen > 64 ? result : 2;
#endif
    return result;
}
