/* What the C library sets in the status register of floating point changes what follows. */
#include <fenv.h>
#include <stdlib.h>
static volatile double one = 1, three = 3, results[16];
static volatile unsigned long long status[2];
#ifdef __PPC__
void divide(double by, double with, volatile double *to);
#else
#define divide(by, with, to) (*(to) = (by) / (with))
#endif
static unsigned long long read_status(void)
{
    unsigned long long found = 0;
#ifdef __PPC__
    double value;
    __asm__ volatile("mffs %0" : "=d"(value));
    __builtin_memcpy(&found, &value, sizeof found);
#else
    unsigned narrow;
    __asm__ volatile("st %%fsr,%0" : "=m"(narrow));
    found = narrow;
#endif
    return found;
}
static int order(const void *a, const void *b)
{
    results[4 + *(const int *)a] = one / three;
    return *(const int *)a - *(const int *)b;
}
static __attribute__((noinline)) void by_hand(void)
{
    fesetround(FE_UPWARD);
    divide(one, three, &results[7]);
    fesetround(FE_TONEAREST);
}
int main(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD};
    int values[] = {1, 0};
    results[0] = one / three;
    by_hand();
    for (int n = 1; n < 4; n++) {
        fesetround(modes[n]);
        results[n] = -one / three;
    }
    fesetround(FE_UPWARD);
    qsort(values, 2, sizeof *values, order);
    results[6] = three / one;
    status[0] = read_status();
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_OVERFLOW);
    status[1] = read_status();
    return results[1] == results[3];
}
