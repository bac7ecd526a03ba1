static __thread int calls;
static int squares[16];
int square(int n)
{
    calls++;
    for (int i = 0; i < 16; i++)
        squares[i] = i * i + calls;
    return squares[n];
}
