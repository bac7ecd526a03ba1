/* | gcc -O1 -mlongcall | static-pic rst values counter parts */
#include <stdio.h>
int total;
__attribute__((noinline)) int added(int x) { total += x; return total; }
int main(void)
{
    total = 3;
    printf("%d\n", added(4));
    return 0;
}
