/* qsort moves elements while the program's own function compares them: what that is passed is
   reported as written each time, and the whole array at the end. bsearch moves nothing. */
#include <inst/wrap.h>
#include <stdlib.h>

typedef int (*comparison)(const void *, const void *);
typedef int (*comparison_with_argument)(const void *, const void *, void *);

extern void __real_qsort_r(void *, size_t, size_t, comparison_with_argument, void *);

struct sorting {
    comparison_with_argument compare;
    void *argument;
    size_t size;
};

static int compare(const void *one, const void *other, void *argument)
{
    const struct sorting *sorting = argument;
    inst_writes(one, sorting->size);
    inst_writes(other, sorting->size);
    return sorting->compare(one, other, sorting->argument);
}

static int without_argument(const void *one, const void *other, void *argument)
{
    return (*(comparison *)argument)(one, other);
}

void __wrap_qsort_r(void *base, size_t count, size_t size, comparison_with_argument compared, void *argument)
{
    struct sorting sorting = { compared, argument, size };
    inst_reads(base, count * size);
    __real_qsort_r(base, count, size, compare, &sorting);
    inst_writes(base, count * size);
}

void __wrap_qsort(void *base, size_t count, size_t size, comparison compared)
{
    __wrap_qsort_r(base, count, size, without_argument, &compared);
}
