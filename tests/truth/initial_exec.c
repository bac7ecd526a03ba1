/* The only use of the thread pointer is `x@tls`, in place of the register's name. */
static __thread int *held __attribute__((tls_model("initial-exec")));
static __thread int table[4] __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) int next(int by)
{
    table[by & 3] += by;
    return held ? *held + table[by & 1] : by;
}

int main(void)
{
    int sum = 3;
    held = &sum;
    for (int i = 0; i < 9; i++)
        sum += next(i);
    return sum & 63;
}
