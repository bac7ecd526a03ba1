/* Data of its own, of another file, of a thread: through the GOT or TOC where code is PIC. */
#include <stdio.h>

int here = 3, table[40];
static int hidden = 5;
__thread int own = 4;
extern int away, list[20];
extern __thread int other __attribute__((tls_model("initial-exec")));
int *where(int n);

int add(int n)
{
    here += n;
    hidden += here;
    own += n;
    other += own;
    return here + hidden + away + list[n];
}

int main(void)
{
    for (int n = 0; n < 12; n++) {
        table[n] = add(n);
        *where(n) += table[n];
        away += n;
    }
    printf("%d %d %d %d %d %d\n", here, hidden, away, list[3], own, other);
    return 0;
}
