/* backtrace: without this wrapper's own frame, which is the first that the function finds. */
#include <inst/wrap.h>
#include <execinfo.h>

enum { MOST = 256 };    /* frames for which there is one more place: of 2 KiB on any stack */

extern int __real_backtrace(void **, int);

int __wrap_backtrace(void **to, int size)
{
    void *found[MOST + 1];
    int is_short = size > 0 && size <= MOST;
    void **all = is_short ? found : to;
    int before = errno;
    int count = __real_backtrace(all, is_short ? size + 1 : size) - 1;
    inst_error_since(before);
    if (count < 0)
        return 0;
    for (int n = 0; n < count; n++)
        to[n] = all[n + 1];
    inst_writes(to, count * sizeof *to);
    return count;
}
