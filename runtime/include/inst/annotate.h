/* What a C program can record in its trace: facts that loads and stores do not show.

   Built with inst-cc, each macro records an event with its file and line; built without, it expands
   to nothing, and its arguments are not evaluated: they should have no side effects.
   inst-cc finds this header by itself.  For other builds copy it (it needs nothing else), or add
   the directory that `inst-cc --inst-include` prints.  */
#ifndef INST_ANNOTATE_H
#define INST_ANNOTATE_H

#ifdef __has_include
#if __has_include(<inst/recording.h>)
/* 1 where annotations are recorded, else 0. */
#define INST_RECORDING 1
#endif
#endif

#ifdef INST_RECORDING

#ifdef __cplusplus
extern "C" {
#endif
void inst_annotate_hint(const char *, __UINTPTR_TYPE__, unsigned long long, const char *);
void inst_annotate_lock(__UINTPTR_TYPE__, const char *);
void inst_annotate_trylock(__UINTPTR_TYPE__, const char *);
void inst_annotate_unlock(__UINTPTR_TYPE__, const char *);
void inst_annotate_mem_init(__UINTPTR_TYPE__, __UINTPTR_TYPE__, const char *);
void inst_annotate_mem_free(__UINTPTR_TYPE__, __UINTPTR_TYPE__, const char *);
void inst_annotate_mem_set(__UINTPTR_TYPE__, __UINTPTR_TYPE__, unsigned, const char *);
void inst_annotate_barrier(const char *, const char *);
void inst_annotate_tlbi(const char *, int, unsigned long long, const char *);
void inst_annotate_sysreg(const char *, unsigned long long, const char *);
void inst_annotate_pause(const char *);
void inst_annotate_resume(const char *);
void inst_annotate_dump(void (*)(char));
void inst_annotate_drain(void (*)(char));
#ifdef __cplusplus
}
#endif

#define INST_TEXT_(x) #x
#define INST_LINE_(x) INST_TEXT_(x)
#define INST_HERE_ __FILE__ ":" INST_LINE_(__LINE__)
#define INST_AT_(pointer) ((__UINTPTR_TYPE__)(pointer))
#define INST_BY_(name, function) name(function)
#define INST_DO_0_(name) name(INST_HERE_)
#define INST_DO_1_(name, a) name(a, INST_HERE_)
#define INST_DO_2_(name, a, b) name(a, b, INST_HERE_)
#define INST_DO_3_(name, a, b, c) name(a, b, c, INST_HERE_)

#else

#define INST_AT_(pointer) pointer
#define INST_BY_(name, function) ((void)sizeof(&(function)))
#define INST_DO_0_(name) ((void)0)
#define INST_DO_1_(name, a) ((void)sizeof(a))
#define INST_DO_2_(name, a, b) ((void)sizeof(a), (void)sizeof(b))
#define INST_DO_3_(name, a, b, c) ((void)sizeof(a), (void)sizeof(b), (void)sizeof(c))
#define INST_RECORDING 0

#endif

/* Locks: after taking one, after trying to with success, before releasing it. */
#define INST_LOCK(lock) INST_DO_1_(inst_annotate_lock, INST_AT_(lock))
#define INST_TRYLOCK(lock) INST_DO_1_(inst_annotate_trylock, INST_AT_(lock))
#define INST_UNLOCK(lock) INST_DO_1_(inst_annotate_unlock, INST_AT_(lock))

/* Memory that is allocated as zeros, that is freed, that is filled with a byte. */
#define INST_MEM_INIT(start, size) INST_DO_2_(inst_annotate_mem_init, INST_AT_(start), size)
#define INST_MEM_FREE(start, size) INST_DO_2_(inst_annotate_mem_free, INST_AT_(start), size)
#define INST_MEM_SET(start, size, value) INST_DO_3_(inst_annotate_mem_set, INST_AT_(start), size, value)

/* INST_BARRIER("dsb ish"), INST_BARRIER("isb"). */
#define INST_BARRIER(kind) INST_DO_1_(inst_annotate_barrier, kind)

/* INST_TLBI("vmalls12e1is"); with the operand of a register: INST_TLBI_BY("ipas2e1is", page). */
#define INST_TLBI(operation) INST_DO_3_(inst_annotate_tlbi, operation, 0, 0)
#define INST_TLBI_BY(operation, operand) INST_DO_3_(inst_annotate_tlbi, operation, 1, operand)

/* INST_SYSREG("vttbr_el2", value). */
#define INST_SYSREG(name, value) INST_DO_2_(inst_annotate_sysreg, name, value)

/* INST_HINT("set_root_lock", table, lock). */
#define INST_HINT(kind, location, value) INST_DO_3_(inst_annotate_hint, kind, INST_AT_(location), value)

/* All that a thread did before INST_HAPPENS_BEFORE(token) comes before all that another does
   after INST_HAPPENS_AFTER(token): start and end of threads, flags, queues.  */
#define INST_HAPPENS_BEFORE(token) INST_HINT("happens_before", token, 0)
#define INST_HAPPENS_AFTER(token) INST_HINT("happens_after", token, 0)

/* Stop recording the accesses of all threads, and go on.  The trace states where each thread did. */
#define INST_PAUSE() INST_DO_0_(inst_annotate_pause)
#define INST_RESUME() INST_DO_0_(inst_annotate_resume)

/* Without an operating system: write the ring as text, by a function that takes a character, for
   `inst dump`: all of it, without recording meanwhile; or what has come since the last INST_DRAIN. */
#define INST_DUMP(put) INST_BY_(inst_annotate_dump, put)
#define INST_DRAIN(put) INST_BY_(inst_annotate_drain, put)

#endif
