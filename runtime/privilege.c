/* Whether the process has privileges that its caller does not have, as a set-user-ID program
   has, or a program with file capabilities.  Another user then controls its environment: variables
   are ignored, and no trace is written, since it would contain memory of the process.

   Linux reports it by AT_SECURE in the auxiliary vector (getauxval(3)).  User and group ids are
   compared as well, for emulators and sandboxes that do not pass it on.  This is checked
   when the process starts, before it can change its ids.  */
#include "calls.h"
#include "process.h"

#include <asm/errno.h>

enum { UNKNOWN = -1, SECURE = 23, PAGE_SIZE = 6, ENTRIES = 64 };
enum { GET_AUXV = 0x41555856 };     /* prctl(2): since Linux 6.4 */

#ifdef __NR_getresuid32             /* the other holds 16 bits on 32-bit SPARC */
enum { GETRESUID = __NR_getresuid32, GETRESGID = __NR_getresgid32 };
#else
enum { GETRESUID = __NR_getresuid, GETRESGID = __NR_getresgid };
#endif

struct entry {
    uintptr_t type, value;
};

/* Where the kernel has put the arguments, if the program begins in the library (early.c). */
const uintptr_t *inst_first_stack;

/* Return the effective user id. */
uint32_t inst_user(void)
{
    uint32_t real = 0, effective = 0, saved = 0;
    inst_syscall(GETRESUID, (long)&real, (long)&effective, (long)&saved, 0, 0, 0);
    return effective;
}

static int ids_differ(long number)
{
    uint32_t real = 0, effective = 0, saved = 0;
    inst_syscall(number, (long)&real, (long)&effective, (long)&saved, 0, 0, 0);
    return real != effective || saved != effective;
}

/* Return AT_SECURE from a vector; UNKNOWN if this is not one, or does not hold it. */
static int find_secure(const struct entry *entries, unsigned count)
{
    int secure = UNKNOWN, is_vector = 0;
    for (unsigned n = 0; n < count && entries[n].type; n++) {
        is_vector |= entries[n].type == PAGE_SIZE;
        if (entries[n].type == SECURE)
            secure = entries[n].value != 0;
    }
    return is_vector ? secure : UNKNOWN;
}

/* Return AT_SECURE from the vector after a null-terminated list of pointers: it is there if the list
   is the kernel's own, not a copy that the program has made. */
static int secure_after(char **list)
{
    while (inst_is_readable(list, sizeof *list) && *list)
        list++;
    const struct entry *entries = (const struct entry *)(list + 1);
    unsigned count = 0;
    while (count < ENTRIES && inst_is_readable(entries + count, sizeof *entries)
           && entries[count].type)
        count++;
    return find_secure(entries, count);
}

static int read_secure(void)
{
    struct entry entries[ENTRIES];
    if (inst_first_stack) {         /* a count, so many arguments, 0; the environment, 0 */
        const uintptr_t *at = inst_first_stack + 1 + inst_first_stack[0] + 1;
        while (*at++)
            ;
        return find_secure((const struct entry *)at, ENTRIES);
    }
    long size = inst_read_file("/proc/self/auxv", (char *)entries, sizeof entries);
    if (size <= 0)
        size = inst_syscall(__NR_prctl, GET_AUXV, (long)entries, sizeof entries, 0, 0, 0);
    if (size > 0)
        return find_secure(entries, size / sizeof entries[0]);
    return &environ && environ ? secure_after(environ) : UNKNOWN;
}

int inst_privileged(void)
{
    static int answer = UNKNOWN;
    if (answer == UNKNOWN)          /* if unknown, assume privileged */
        answer = ids_differ(GETRESUID) || ids_differ(GETRESGID) || read_secure() != 0;
    return answer;
}
