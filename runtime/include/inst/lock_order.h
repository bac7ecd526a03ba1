/* Events of wrappers of locks, each with the address of the program's call as its place.

   Taking is recorded after the call and releasing before it, so that a recorded lock is held.
   Readers of a lock are not ordered among each other: each comes before the lock's next writer
   only, by a hint whose token is the odd number after the lock's address.  */
#ifndef INST_LOCK_ORDER_H
#define INST_LOCK_ORDER_H

#include <inst/hints.h>
#include <inst/wrap.h>
#include <pthread.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

void inst_saw_lock(uintptr_t at, uintptr_t place);
void inst_saw_trylock(uintptr_t at, uintptr_t place);
void inst_saw_unlock(uintptr_t at, uintptr_t place);

/* A mutex of either kind was locked; a lock of many readers is unlocked. */
void inst_mutex_locked(void *mutex, uintptr_t place);
void inst_either_unlocks(void *lock, uintptr_t place);

/* The hints happens_before and happens_after. */
void inst_leaves(uintptr_t token, uintptr_t place);
void inst_takes(uintptr_t token, uintptr_t place);

/* The latter for memory that has `size` bytes from now on; nothing without memory. */
void inst_takes_block(const void *block, uintptr_t size, uintptr_t place);

/* The same for a block of memory and its size, where ~0 means that the size has not changed.
   Its allocation is ordered after all that other threads did with that memory. */
void inst_block_freed(const void *block, void *returns_to);
void inst_block_allocated(const void *block, uintptr_t size, void *returns_to);

/* The contents of an allocated block are undefined. */
void inst_block_is_raw(const void *block, uintptr_t size, void *returns_to);

/* Return the place of the thread's next event; and report that an allocator is instrumented itself
   if that place has changed since `mark`. */
const void *inst_event_mark(void);
void inst_allocator_ran(const void *mark);

#pragma GCC visibility pop

#define LOCKED(lock) inst_saw_lock((uintptr_t)(lock), place)
#define TRIED(lock) inst_saw_trylock((uintptr_t)(lock), place)
#define UNLOCKS(lock) inst_saw_unlock((uintptr_t)(lock), place)
#define MUTEX_LOCKED(mutex) inst_mutex_locked((void *)(mutex), place)
#define READER_LOCKED(lock) inst_takes((uintptr_t)(lock), place)
#define AFTER_READERS(lock) inst_takes((uintptr_t)(lock) | 1, place)
#define EITHER_UNLOCKS(lock) inst_either_unlocks(lock, place)
#define LEAVES(token) inst_leaves((uintptr_t)(token), place)
#define TAKES(token) inst_takes((uintptr_t)(token), place)

#endif
