/* The state of a lock, as the C library lays it out; read while the caller holds it.

   glibc names the fields (nptl/, struct __pthread_mutex_s and __pthread_rwlock_arch_t).  musl
   counts words of a union (src/internal/pthread_impl.h: _m_type, _m_count, _rw_lock).  Another C
   library's locks are opaque: each counts as held once, and by a writer. */
#ifndef INST_LOCK_STATE_H
#define INST_LOCK_STATE_H

#include <pthread.h>

#if defined __GLIBC__

#include <sys/single_threaded.h>

static inline int is_held_recursively(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP && mutex->__data.__count > 1;
}

static inline int has_writer(const pthread_rwlock_t *lock)
{
    return lock->__data.__cur_writer != 0;
}

#elif defined __dietlibc__

static const char __libc_single_threaded = 0;

static inline int is_held_recursively(const pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int has_writer(const void *lock)
{
    (void)lock;
    return 1;
}

#else

static const char __libc_single_threaded = 0;
enum { TYPE = 0, COUNT = 5, LOCK = 0, WRITER = 0x7fffffff };

static inline int is_held_recursively(const pthread_mutex_t *mutex)
{
    const int *words = (const int *)mutex;
    return (words[TYPE] & 3) == PTHREAD_MUTEX_RECURSIVE && words[COUNT] > 0;
}

static inline int has_writer(const pthread_rwlock_t *lock)
{
    return (((const int *)lock)[LOCK] & WRITER) == WRITER;
}

#endif

#endif
