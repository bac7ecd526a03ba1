/* Calls each function of a generated file on the same words; prints what is left of them.
   An argument is what stands in registers that have no meaning at a call. */
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long function(unsigned long flag, unsigned *words);
extern function *const fuzz_functions[];
unsigned long fuzz_call(function *called, unsigned long flag, unsigned *words, long seed);

static _Alignas(64) unsigned room[128];

int main(int count, char **arguments)
{
    long seed = count > 1 ? atol(arguments[1]) : 0;

    for (int n = 0; fuzz_functions[n]; n++)
        for (unsigned flag = 0; flag < 3; flag++) {
            for (unsigned i = 0; i < sizeof room / 4; i++)
                room[i] = i * 2654435761u ^ flag;
            unsigned long result = fuzz_call(fuzz_functions[n], flag, room + 16, seed);
            unsigned sum = 0;
            for (unsigned i = 0; i < sizeof room / 4; i++)
                sum = sum * 31 + room[i];
            printf("%d.%u %0*lx %08x\n", n, flag, (int)(2 * sizeof result), result, sum);
        }
    return 0;
}
