/* prctl: what the second argument points at depends on the first. */
#include <inst/wrap.h>
#include <stdarg.h>
#include <sys/prctl.h>

enum { NAME = 16 };     /* bytes of a thread's name */

extern int __real_prctl(int, ...);

static size_t written(int option)
{
    switch (option) {
    case PR_GET_NAME:
        return NAME;
    case PR_GET_PDEATHSIG: case PR_GET_CHILD_SUBREAPER: case PR_GET_FPEMU: case PR_GET_FPEXC:
    case PR_GET_ENDIAN: case PR_GET_UNALIGN: case PR_GET_TSC:
        return sizeof(int);
    case PR_GET_TID_ADDRESS:
        return sizeof(int *);
    }
    return 0;
}

int __wrap_prctl(int option, ...)
{
    va_list list;
    va_start(list, option);
    unsigned long first = va_arg(list, unsigned long), second = va_arg(list, unsigned long);
    unsigned long third = va_arg(list, unsigned long), fourth = va_arg(list, unsigned long);
    va_end(list);
    inst_system_call(__NR_prctl);
    if (option == PR_SET_NAME)
        inst_reads((char *)first, LIMITED((char *)first, NAME));
    int before = errno;
    int result = __real_prctl(option, first, second, third, fourth);
    inst_error_since(before);
    if (result >= 0)
        inst_writes((void *)first, written(option));
    inst_system_result(__NR_prctl, result, errno);
    return result;
}
