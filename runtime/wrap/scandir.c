/* scandir: a list of entries, which the program's functions see one by one. */
#include <inst/wrap.h>
#include <dirent.h>
#include <stdlib.h>

typedef int (*comparison)(const void *, const void *);

/* The program's functions of the call that this thread is in: they take no extra argument. */
static __thread int (*choose)(const struct dirent *);
static __thread int (*choose64)(const struct dirent64 *);

extern int __real_scandir(const char *, struct dirent ***, int (*)(const struct dirent *),
                          int (*)(const struct dirent **, const struct dirent **));
extern int __real_scandir64(const char *, struct dirent64 ***, int (*)(const struct dirent64 *),
                            int (*)(const struct dirent64 **, const struct dirent64 **));

static int chosen(const struct dirent *one)
{
    inst_writes(one, one->d_reclen);
    return choose(one);
}

static int chosen64(const struct dirent64 *one)
{
    inst_writes(one, one->d_reclen);
    return choose64(one);
}

/* The entries are copies by now; sorting them afterwards compares memory that was reported. */
#define SCAN(NAME, DIRENT, CHOOSE, CHOSEN, SORTED, REAL)                                    \
    int NAME(const char *path, struct DIRENT ***to, int (*wanted)(const struct DIRENT *),   \
             int (*order)(const struct DIRENT **, const struct DIRENT **))                  \
    {                                                                                       \
        int (*outer)(const struct DIRENT *) = CHOOSE, before = errno;                       \
        inst_reads(path, STRING(path));                                                     \
        CHOOSE = wanted;                                                                    \
        int result = REAL(path, to, wanted ? CHOSEN : 0, 0);                                \
        CHOOSE = outer;                                                                     \
        inst_error_since(before);                                                           \
        if (result < 0)                                                                     \
            return result;                                                                  \
        int error = errno;                                                                  \
        void *caller = __builtin_return_address(0);                                         \
        inst_allocated(*to, result * sizeof **to, caller);                                  \
        for (int n = 0; n < result; n++) {                                                  \
            inst_allocated((*to)[n], (*to)[n]->d_reclen, caller);                           \
            inst_writes((*to)[n], (*to)[n]->d_reclen);                                      \
        }                                                                                   \
        if (order)                                                                          \
            SORTED(*to, result, sizeof **to, (comparison)order);                         \
        inst_writes(to, sizeof *to);                                                        \
        inst_writes(*to, result * sizeof **to);                                             \
        errno = error;                                                                      \
        return result;                                                                      \
    }

extern void __wrap_qsort(void *, size_t, size_t, comparison);
SCAN(__wrap_scandir, dirent, choose, chosen, __wrap_qsort, __real_scandir)
SCAN(__wrap_scandir64, dirent64, choose64, chosen64, __wrap_qsort, __real_scandir64)
