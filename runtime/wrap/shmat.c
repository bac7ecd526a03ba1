/* shmat, shmdt: memory that other processes may write. Hints state where it is, as those of mappings do
   (runtime/mappings.c). */
#include <inst/hints.h>
#include <inst/wrap.h>
#include <sys/shm.h>

extern void *__real_shmat(int, const void *, int);
extern int __real_shmdt(const void *);

static size_t segment_size(int id)
{
    struct shmid_ds now;
    int error = errno;
    size_t size = shmctl(id, IPC_STAT, &now) ? 0 : now.shm_segsz;
    errno = error;
    return size;
}

void *__wrap_shmat(int id, const void *address, int flags)
{
    inst_system_call(SYSV(shmat));
    int before = errno;
    void *result = __real_shmat(id, address, flags);
    inst_error_since(before);
    int failed = result == (void *)-1;
    inst_system_result(SYSV(shmat), (long)result, failed ? errno : 0);
    if (!failed)
        inst_annotate_hint("mapping_shared", (uintptr_t)result, segment_size(id), "shmat");
    return result;
}

/* A hint without a size is about all that begins there. */
int __wrap_shmdt(const void *address)
{
    inst_system_call(SYSV(shmdt));
    int before = errno;
    int result = __real_shmdt(address);
    inst_error_since(before);
    inst_system_result(SYSV(shmdt), result, result ? errno : 0);
    if (!result)
        inst_annotate_hint("mapping_removed", (uintptr_t)address, 0, "shmdt");
    return result;
}
