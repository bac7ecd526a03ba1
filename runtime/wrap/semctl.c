/* semctl: its last argument is a union that programs define; the set has the array's length. */
#include <inst/wrap.h>
#include <stdarg.h>
#include <sys/sem.h>

union argument {
    int value;
    struct semid_ds *place;
    unsigned short *values;
};

extern int __real_semctl(int, int, int, union argument);

static size_t values_size(int id)
{
    struct semid_ds now;
    int error = errno;
    size_t size = __real_semctl(id, 0, IPC_STAT, (union argument){ .place = &now })
                  ? 0 : now.sem_nsems * sizeof(unsigned short);
    errno = error;
    return size;
}

/* Other commands have no last argument, and reading a missing one may be fatal. */
static int has_argument(int command)
{
    switch (command) {
    case SETVAL: case GETALL: case SETALL: case IPC_SET: case IPC_STAT: case SEM_STAT:
    case SEM_STAT_ANY: case IPC_INFO: case SEM_INFO:
        return 1;
    }
    return 0;
}

int __wrap_semctl(int id, int number, int command, ...)
{
    union argument given = { 0 };
    if (has_argument(command)) {
        va_list list;
        va_start(list, command);
        given = va_arg(list, union argument);
        va_end(list);
    }
    inst_system_call(SYSV(semctl));
    if (command == IPC_SET)
        inst_reads(given.place, sizeof *given.place);
    else if (command == SETALL)
        inst_reads(given.values, values_size(id));
    int before = errno;
    int result = __real_semctl(id, number, command, given);
    inst_error_since(before);
    if (result < 0) {
        inst_system_result(SYSV(semctl), result, errno);
        return result;
    }
    if (command == IPC_STAT || command == SEM_STAT)
        inst_writes(given.place, sizeof *given.place);
    else if (command == GETALL)
        inst_writes(given.values, values_size(id));
    else if (command == IPC_INFO || command == SEM_INFO)
        inst_writes(given.place, sizeof(struct seminfo));
    inst_system_result(SYSV(semctl), result, 0);
    return result;
}
