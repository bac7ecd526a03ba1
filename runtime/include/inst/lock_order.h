/* What wrappers of locks tell, each with the place of the call as its source: 0x and the address.

   Taking is told behind the call and giving back before it, so that what is told is held.
   Readers of a lock are not ordered among each other: they leave what they know under the odd
   number behind the lock's address, where only its next writer looks.  */
#ifndef INST_LOCK_ORDER_H
#define INST_LOCK_ORDER_H

#include <pthread.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)
void inst_annotate_hint(const char *kind, uintptr_t at, uint64_t value, const char *source);
void inst_annotate_lock(uintptr_t at, const char *source);
void inst_annotate_trylock(uintptr_t at, const char *source);
void inst_annotate_unlock(uintptr_t at, const char *source);
#pragma GCC visibility pop

enum { INST_PLACE_SIZE = 2 + 2 * sizeof(uintptr_t) + 1 };

/* Write where a call stands, from where it returns to; return the text. */
static inline const char *inst_place(char *text, void *returns_to)
{
#ifdef __sparc__
    uintptr_t place = (uintptr_t)__builtin_extract_return_addr(returns_to) - 8;
#else
    uintptr_t place = (uintptr_t)__builtin_extract_return_addr(returns_to) - 4;
#endif
    text[0] = '0';
    text[1] = 'x';
    for (unsigned n = 0; n < 2 * sizeof place; n++)
        text[2 + n] = "0123456789abcdef"[place >> (8 * sizeof place - 4 - 4 * n) & 15];
    text[2 + 2 * sizeof place] = 0;
    return text;
}

/* A recursive mutex that its owner holds already makes no order of its own: as if tried for.
   mtx_t is a pthread_mutex_t in glibc. */
static inline void inst_mutex_locked(void *address, const char *place)
{
    pthread_mutex_t *mutex = address;
    if ((mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP && mutex->__data.__count > 1)
        inst_annotate_trylock((uintptr_t)mutex, place);
    else
        inst_annotate_lock((uintptr_t)mutex, place);
}

static inline void inst_either_unlocks(pthread_rwlock_t *lock, const char *place)
{
    if (lock->__data.__cur_writer)  /* there are no readers beside it */
        inst_annotate_unlock((uintptr_t)lock, place);
    else
        inst_annotate_hint("happens_before", (uintptr_t)lock | 1, 0, place);
}

#define LOCKED(lock) inst_annotate_lock((uintptr_t)(lock), place)
#define TRIED(lock) inst_annotate_trylock((uintptr_t)(lock), place)
#define UNLOCKS(lock) inst_annotate_unlock((uintptr_t)(lock), place)
#define MUTEX_LOCKED(mutex) inst_mutex_locked((void *)(mutex), place)
#define READER_LOCKED(lock) inst_annotate_hint("happens_after", (uintptr_t)(lock), 0, place)
#define AFTER_READERS(lock) inst_annotate_hint("happens_after", (uintptr_t)(lock) | 1, 0, place)
#define EITHER_UNLOCKS(lock) inst_either_unlocks(lock, place)
#define LEAVES(token) inst_annotate_hint("happens_before", (uintptr_t)(token), 0, place)
#define TAKES(token) inst_annotate_hint("happens_after", (uintptr_t)(token), 0, place)

#endif
