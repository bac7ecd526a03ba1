"""Functions of the C library that order threads, and what each reports about locks.

A row is `PROTOTYPE | BEFORE | AFTER`: statements of `inst/lock_order.h` that run before the
function, and after it if it succeeded. `| AFTER | always` runs the last ones in any case,
also when the thread is cancelled in the function: waiting for a condition relocks its mutex.
The headers that declare the functions come before them. Facts: POSIX, the C standard, and what
glibc's manual adds.
"""

from __future__ import annotations

import re

from inst.dataclass import dataclass

ROWS = """
#include <pthread.h>
int pthread_mutex_lock(pthread_mutex_t *mutex) | | MUTEX_LOCKED(mutex)
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *end) | | MUTEX_LOCKED(mutex)
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end) | | MUTEX_LOCKED(mutex)
int pthread_mutex_trylock(pthread_mutex_t *mutex) | | TRIED(mutex)
int pthread_mutex_unlock(pthread_mutex_t *mutex) | UNLOCKS(mutex) |
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) | UNLOCKS(mutex) | MUTEX_LOCKED(mutex) | always
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) | UNLOCKS(mutex) | MUTEX_LOCKED(mutex) | always
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end) | UNLOCKS(mutex) | MUTEX_LOCKED(mutex) | always
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) | | READER_LOCKED(lock)
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) | | READER_LOCKED(lock)
int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *end) | | READER_LOCKED(lock)
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *end) | | READER_LOCKED(lock)
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) | | LOCKED(lock); AFTER_READERS(lock)
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) | | TRIED(lock); AFTER_READERS(lock)
int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *end) | | LOCKED(lock); AFTER_READERS(lock)
int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *end) | | LOCKED(lock); AFTER_READERS(lock)
int pthread_rwlock_unlock(pthread_rwlock_t *lock) | EITHER_UNLOCKS(lock) |
int pthread_spin_lock(pthread_spinlock_t *lock) | | LOCKED(lock)
int pthread_spin_trylock(pthread_spinlock_t *lock) | | TRIED(lock)
int pthread_spin_unlock(pthread_spinlock_t *lock) | UNLOCKS(lock) |
int pthread_barrier_wait(pthread_barrier_t *barrier) | LEAVES(barrier) | TAKES(barrier) | always
#include <semaphore.h>
int sem_post(sem_t *semaphore) | LEAVES(semaphore) |
int sem_wait(sem_t *semaphore) | | TAKES(semaphore)
int sem_trywait(sem_t *semaphore) | | TAKES(semaphore)
int sem_timedwait(sem_t *semaphore, const struct timespec *end) | | TAKES(semaphore)
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *end) | | TAKES(semaphore)
#include <threads.h>
int mtx_lock(mtx_t *mutex) | | MUTEX_LOCKED(mutex)
int mtx_timedlock(mtx_t *mutex, const struct timespec *end) | | MUTEX_LOCKED(mutex)
int mtx_trylock(mtx_t *mutex) | | TRIED(mutex)
int mtx_unlock(mtx_t *mutex) | UNLOCKS(mutex) |
int cnd_wait(cnd_t *condition, mtx_t *mutex) | UNLOCKS(mutex) | MUTEX_LOCKED(mutex) | always
int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *end) | UNLOCKS(mutex) | MUTEX_LOCKED(mutex) | always
"""

_PROTOTYPE = re.compile(r"(?P<result>.*?)(?P<name>\w+)\((?P<parameters>.*)\)")


@dataclass(frozen=True, slots=True)
class Ordering:
    """A function that orders threads; those of this table return int, 0 for success."""

    name: str
    result: str
    """The type that it returns."""
    parameters: str
    arguments: tuple[str, ...]
    """Names of the parameters."""
    before: str
    """C statements."""
    after: str
    always: bool
    header: str

    @property
    def may_fail(self) -> bool:
        """Whether it reports an error in errno; the others return its number."""
        return self.header == "<semaphore.h>"

    @property
    def watched(self) -> str:
        """The parameter that the statement after it refers to."""
        return self.after.partition("(")[2].partition(")")[0]


def read_orderings(rows: str, header: str = "") -> dict[str, Ordering]:
    """Return the functions of rows by name; `header` declares those before the first #include."""
    functions = {}
    for line in rows.strip().splitlines():
        if line.startswith("#include"):
            header = line.removeprefix("#include").strip()
            continue
        prototype, before, after, *rest = (part.strip() for part in line.split("|"))
        found = _PROTOTYPE.fullmatch(prototype)
        assert found, line
        name, parameters = found["name"], found["parameters"]
        names = () if parameters == "void" else tuple(re.findall(r"(\w+)(?:,|$)", parameters))
        functions[name] = Ordering(
            name,
            found["result"].strip(),
            parameters,
            names,
            before,
            after,
            rest == ["always"],
            header,
        )
    return functions


LOCKING: dict[str, Ordering] = read_orderings(ROWS)
"""The functions by name."""
