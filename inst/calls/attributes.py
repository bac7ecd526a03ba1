"""Functions of the C library on objects of threads and processes, as `inst.calls.touched` has others.

These initialize locks, set attributes and return them.  What lock and unlock mean for the order of
threads is in `inst.calls.locking`.
"""


def _of(kind: str, values: str) -> str:
    """Return the rows of an attribute object: its initialization, and what sets and returns each
    value, which `values` lists as `NAME TYPE`; with `*`, the value is passed by its address."""
    object_type = f"{kind}_t"
    rows = [
        f"int {kind}_init({object_type} *to) | | to: sizeof *to",
        f"int {kind}_destroy({object_type} *to) | | to: sizeof *to",
    ]
    for value in values.split(";"):
        name, value_type = value.split(maxsplit=1)
        plain = value_type.removesuffix(" *")
        by_address = plain != value_type
        passed = f"const {plain} *value" if by_address else f"{plain} value"
        read = "value: sizeof *value" if by_address else ""
        rows += [
            f"int {kind}_get{name}(const {object_type} *from, {plain} *value)"
            " | from: sizeof *from | value: result ? 0 : sizeof *value",
            f"int {kind}_set{name}({object_type} *to, {passed}) | {read} | to: sizeof *to",
        ]
    return "\n".join(rows)


ROWS = f"""
#include <pthread.h>
{
    _of(
        "pthread_attr",
        "detachstate int; guardsize size_t; inheritsched int;"
        "schedparam struct sched_param *; schedpolicy int; scope int; stacksize size_t",
    )
}
int pthread_attr_getstack(const pthread_attr_t *from, void **base, size_t *size) | from: sizeof *from | base: result ? 0 : sizeof *base; size: result ? 0 : sizeof *size
int pthread_attr_setstack(pthread_attr_t *to, void *base, size_t size) | | to: sizeof *to
int pthread_attr_getaffinity_np(const pthread_attr_t *from, size_t size, cpu_set_t *to) | from: sizeof *from | to: result ? 0 : size
int pthread_attr_setaffinity_np(pthread_attr_t *to, size_t size, const cpu_set_t *from) | from: size | to: sizeof *to
{_of("pthread_mutexattr", "prioceiling int; protocol int; pshared int; robust int; type int")}
{_of("pthread_condattr", "clock clockid_t; pshared int")}
{_of("pthread_rwlockattr", "kind_np int; pshared int")}
{_of("pthread_barrierattr", "pshared int")}
int pthread_mutex_init(pthread_mutex_t *to, const pthread_mutexattr_t *from) | from: sizeof *from | to: result ? 0 : sizeof *to
int pthread_cond_init(pthread_cond_t *to, const pthread_condattr_t *from) | from: sizeof *from | to: result ? 0 : sizeof *to
int pthread_rwlock_init(pthread_rwlock_t *to, const pthread_rwlockattr_t *from) | from: sizeof *from | to: result ? 0 : sizeof *to
int pthread_barrier_init(pthread_barrier_t *to, const pthread_barrierattr_t *from, unsigned count) | from: sizeof *from | to: result ? 0 : sizeof *to
int pthread_spin_init(pthread_spinlock_t *to, int shared) | | to: sizeof *to
int pthread_mutex_getprioceiling(const pthread_mutex_t *from, int *to) | | to: result ? 0 : sizeof *to
int pthread_key_create(pthread_key_t *to, void (*destroy)(void *)) | | to: result ? 0 : sizeof *to
int pthread_setcancelstate(int state, int *to) | | to: result ? 0 : sizeof *to
int pthread_setcanceltype(int type, int *to) | | to: result ? 0 : sizeof *to
int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *to) | | policy: result ? 0 : sizeof *policy; to: result ? 0 : sizeof *to
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *from) | from: sizeof *from |
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *to) | | to: result ? 0 : size
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *from) | from: size |
int pthread_getattr_np(pthread_t thread, pthread_attr_t *to) | | to: result ? 0 : sizeof *to
int pthread_getattr_default_np(pthread_attr_t *to) | | to: result ? 0 : sizeof *to
int pthread_getname_np(pthread_t thread, char *to, size_t size) | | to: result ? 0 : STRING(to)
int pthread_setname_np(pthread_t thread, const char *name) | name: STRING(name) |
int pthread_getcpuclockid(pthread_t thread, clockid_t *to) | | to: result ? 0 : sizeof *to
#include <threads.h>
int mtx_init(mtx_t *to, int type) | | to: result == thrd_success ? sizeof *to : 0
int cnd_init(cnd_t *to) | | to: result == thrd_success ? sizeof *to : 0
int tss_create(tss_t *to, void (*destroy)(void *)) | | to: result == thrd_success ? sizeof *to : 0
#include <semaphore.h>
int sem_init(sem_t *to, int shared, unsigned value) | | to: result ? 0 : sizeof *to
#include <spawn.h>
int posix_spawnattr_getflags(const posix_spawnattr_t *from, short *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int posix_spawnattr_setflags(posix_spawnattr_t *to, short flags) | | to: sizeof *to
int posix_spawnattr_getpgroup(const posix_spawnattr_t *from, pid_t *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int posix_spawnattr_setpgroup(posix_spawnattr_t *to, pid_t group) | | to: sizeof *to
int posix_spawnattr_getsigmask(const posix_spawnattr_t *from, sigset_t *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int posix_spawnattr_setsigmask(posix_spawnattr_t *to, const sigset_t *from) | from: sizeof *from | to: sizeof *to
int posix_spawnattr_getsigdefault(const posix_spawnattr_t *from, sigset_t *to) | from: sizeof *from | to: result ? 0 : sizeof *to
int posix_spawnattr_setsigdefault(posix_spawnattr_t *to, const sigset_t *from) | from: sizeof *from | to: sizeof *to
int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *to, int file) | | to: sizeof *to
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *to, int file, int other) | | to: sizeof *to
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *to, int file, const char *path, int flags, mode_t mode) | path: STRING(path) | to: sizeof *to
"""
