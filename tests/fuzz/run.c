/* Calls each function of a generated file on the same words; prints what is left of them. */
#include <stdio.h>
#include <string.h>

typedef unsigned function(unsigned flag, unsigned *words);
extern function *const fuzz_functions[];

static unsigned long long room[64];

int main(void)
{
    for (int n = 0; fuzz_functions[n]; n++)
        for (unsigned flag = 0; flag < 3; flag++) {
            unsigned *words = (unsigned *)room + 16;
            for (unsigned i = 0; i < sizeof room / 4; i++)
                ((unsigned *)room)[i] = i * 2654435761u ^ flag;
            unsigned result = fuzz_functions[n](flag, words), sum = 0;
            for (unsigned i = 0; i < sizeof room / 4; i++)
                sum = sum * 31 + ((unsigned *)room)[i];
            printf("%d.%u %08x %08x\n", n, flag, result, sum);
        }
    return 0;
}
