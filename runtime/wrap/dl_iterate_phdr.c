/* dl_iterate_phdr: the program's function is passed what lies in the C library's memory. */
#include <inst/wrap.h>
#include <link.h>

typedef int (*visitor)(struct dl_phdr_info *, size_t, void *);

struct visit {
    visitor wanted;
    void *argument;
};

extern int __real_dl_iterate_phdr(visitor, void *);

static int each(struct dl_phdr_info *image, size_t size, void *data)
{
    const struct visit *visit = data;
    inst_writes(image, size);
    return visit->wanted(image, size, visit->argument);
}

int __wrap_dl_iterate_phdr(visitor wanted, void *argument)
{
    struct visit visit = { wanted, argument };
    return __real_dl_iterate_phdr(each, &visit);
}
