/* Stores into, or loads from, the save area of its caller's window, when given an argument. */
__attribute__((noinline)) long victim(volatile long *p, int load)
{
    if (load)
        return p[3];
    p[3] = 42;
    return 0;
}

__attribute__((noinline)) long outer(int how)
{
    long room[4] = { 1, 2, 3, 4 }, *p = room;
    __asm__("" : "+r"(p));
    if (how)
        __asm__("add %%sp, %1, %0" : "=r"(p) : "i"(sizeof p == 8 ? 2047 : 0));
    return victim(p, how == 2);
}

int main(int count, char **words)
{
    (void)words;
    return outer(count - 1) == 99;
}
