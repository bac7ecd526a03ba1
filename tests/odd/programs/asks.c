#include <stdio.h>

int answer(int n);
int before(int n);
__asm__(".symver before,answer@ONE");

int main(void)
{
    int first = answer(1), second = before(2), third = answer(3);
    printf("%d %d %d\n", first, second, third);
    return 0;
}
