/* For wrappers of C library functions: __wrap_NAME is the wrapper of NAME and calls the function
   itself as __real_NAME.  The library's build sets both names in the object file,
   inst.wrap.NAME and NAME: see inst/rewrite/wrapping.py.

   Wrappers run where the program could call, so they may call the C library; hooks may not. */
#ifndef INST_WRAP_H
#define INST_WRAP_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <asm/unistd.h>
#include <call.h>
#include <library_calls.h>

enum { INST_ARGUMENTS = 6 };

/* A system call in progress. */
struct inst_call {
    uintptr_t stack;            /* stack pointer of the code that makes it; 0: none */
    uint32_t number;            /* of the call whose row lists what is touched */
    uint32_t made;              /* of the call that is made for it; 0: itself */
    uint32_t reported;          /* the number that hooks were passed */
    uint32_t length;            /* value of a length argument before the call */
    long arguments[INST_ARGUMENTS];
};

#pragma GCC visibility push(hidden)

/* Code that is not instrumented reads, or has written, size bytes of the program's memory; of
   null, or of 0 bytes, nothing is reported. */
void inst_reads(const volatile void *address, size_t size);
void inst_writes(const volatile void *address, size_t size);

/* Report the number of a system call; then its result, or the number of its error if not 0. */
void inst_system_call(uint32_t number);
void inst_system_result(uint32_t number, long result, int error);

/* Report the number and what the kernel will read; then what it has written, and the result. */
void inst_call_begins(struct inst_call *call);
void inst_call_ended(struct inst_call *call, long result, int error);

/* Report a block of memory that the program is about to free, one that was not freed after all, and
   one that was allocated; nothing of null. `returns_to` is __builtin_return_address(0). */
void inst_releases(const void *block, void *returns_to);
void inst_still_allocated(const void *block, void *returns_to);
void inst_allocated(const void *block, size_t size, void *returns_to);

/* Return the address of a call, from its return address. */
static inline uintptr_t inst_call_address(void *returns_to)
{
    return (uintptr_t)__builtin_extract_return_addr(returns_to) - 4 * INST_CALL_WORDS;
}

/* Bytes of a string with its end; of one that may end early; of two up to where they differ. */
size_t inst_limited(const char *text, size_t limit);
size_t inst_compared(const char *one, const char *other, size_t limit);
size_t inst_wide(const __WCHAR_TYPE__ *text);
size_t inst_wide_limited(const __WCHAR_TYPE__ *text, size_t limit);

/* Report a list of strings that ends with a null pointer. */
void inst_strings_read(char *const *list);
void inst_strings_written(char *const *list);

/* Report a stream and its buffer as written: instrumented code reads both directly, by getc_unlocked
   and similar macros. */
void inst_stream(const void *file);
void inst_stream_of(int number);

/* Report the memory that open_memstream updates when a stream is flushed; defined where a program
   calls that. */
#pragma weak inst_memory_stream
void inst_memory_stream(const void *file, int ends);
void inst_memory(const void *file, int ends);

/* Report that errno has changed: programs may know its address without a call each time. */
void inst_error_written(void);
void inst_error_since(int before);

char **inst_environ(void);
void inst_environment_written(void);
void inst_options_written(int count, char *const *words);
void inst_sign_written(void);

#pragma GCC visibility pop

#define STRING(TEXT) inst_limited(TEXT, ~(size_t)0)
#define LIMITED(TEXT, LIMIT) inst_limited(TEXT, LIMIT)
#define COMPARED(ONE, OTHER, LIMIT) inst_compared(ONE, OTHER, LIMIT)
#define WIDE(TEXT) inst_wide(TEXT)
#define WIDE_LIMITED(TEXT, LIMIT) inst_wide_limited(TEXT, LIMIT)
/* Whether a message is a constant, and not made in memory that the next call changes. */
#define KNOWN_ERROR(NUMBER) ((unsigned)(NUMBER) < 136)
#define KNOWN_SIGNAL(NUMBER) ((unsigned)(NUMBER) < 32)
#define STRINGS(LIST) inst_strings_read(LIST)
#define BITS(COUNT) (((COUNT) + 8 * sizeof(long) - 1) / (8 * sizeof(long)) * sizeof(long))
#define STREAM(FILE) inst_stream(FILE)
#define INPUT() inst_stream_of(0)
#define OUTPUT() inst_stream_of(1)
#define ERRORS() inst_stream_of(2)
#define MEMORY(FILE) inst_memory(FILE, 0)
#define MEMORY_ENDS(FILE) inst_memory(FILE, 1)
#define ENVIRONMENT() inst_environment_written()
#define OPTIONS(COUNT, WORDS) inst_options_written(COUNT, WORDS)
#define SIGN() inst_sign_written()
#define WRITTEN_STRING(TEXT) inst_writes(TEXT, (TEXT) ? STRING(TEXT) : 0)
#define LINE()                                                                              \
    (inst_writes(line, sizeof *line), inst_writes(size, sizeof *size),                      \
     inst_writes(*line, result > 0 ? result + 1 : 0))
#define AIO_BUFFER(BLOCK)                                                                   \
    inst_writes((const void *)(BLOCK)->aio_buf,                                             \
                (BLOCK)->aio_lio_opcode == LIO_READ && result > 0 ? result : 0)
/* The pointer back, or on, of the element that a list's element has as next or previous one. */
#define LINK(ENTRY, WHICH, CHANGED)                                                         \
    do {                                                                                    \
        void **other = ((void **)(ENTRY))[WHICH];                                           \
        inst_writes(other ? other + CHANGED : 0, sizeof *other);                            \
    } while (0)
#define LONG_FLAG(LIST)                                                                     \
    for (const struct option *one = LIST; one && one->name; one++)                          \
        inst_writes(one->flag, sizeof *one->flag)

/* Which call glibc makes where a 32-bit system has several. */
#if __SIZEOF_LONG__ == 4
#define STAT __NR_statx
#elif defined __NR_fstatat64
#define STAT __NR_fstatat64
#else
#define STAT __NR_newfstatat
#endif
#ifdef __NR_clock_gettime64
#define CLOCK_GETTIME __NR_clock_gettime64
#define CLOCK_GETRES __NR_clock_getres_time64
#else
#define CLOCK_GETTIME __NR_clock_gettime
#define CLOCK_GETRES __NR_clock_getres
#endif

#define CLOCK_NANOSLEEP __NR_clock_nanosleep
#ifdef __NR_fcntl64
#define CALL_FCNTL __NR_fcntl64
#else
#define CALL_FCNTL __NR_fcntl
#endif
#ifdef __NR_mmap2
#define CALL_MMAP __NR_mmap2
#else
#define CALL_MMAP __NR_mmap
#endif
#ifdef __NR__llseek
#define CALL_LSEEK __NR__llseek
#define LSEEK_RESULT(OFFSET) 0L        /* the offset goes to memory */
#else
#define CALL_LSEEK __NR_lseek
#define LSEEK_RESULT(OFFSET) ((long)(OFFSET))
#endif
#ifdef __NR_chown32
#define CALL_CHOWN __NR_chown32
#else
#define CALL_CHOWN __NR_chown
#endif
#ifdef __NR_getuid32
#define CALL_GETUID __NR_getuid32
#define CALL_GETGROUPS __NR_getgroups32
#else
#define CALL_GETUID __NR_getuid
#define CALL_GETGROUPS __NR_getgroups
#endif
#ifdef __NR_send
#define CALL_SEND __NR_send
#define CALL_RECV __NR_recv
#else
#define CALL_SEND __NR_sendto
#define CALL_RECV __NR_recvfrom
#endif
#ifdef __NR_ppoll_time64
#define PPOLL __NR_ppoll_time64
#define PSELECT __NR_pselect6_time64
#else
#define PPOLL __NR_ppoll
#define PSELECT __NR_pselect6
#endif
#ifdef __NR_statfs64
#define STATFS __NR_statfs64
#define FSTATFS __NR_fstatfs64
#else
#define STATFS __NR_statfs
#define FSTATFS __NR_fstatfs
#endif
#ifdef __NR_recvmmsg_time64
#define CALL_RECVMMSG __NR_recvmmsg_time64
#define MESSAGE_LIMIT(LIMIT) 0      /* the kernel gets a copy of it */
#else
#define CALL_RECVMMSG __NR_recvmmsg
#define MESSAGE_LIMIT(LIMIT) (LIMIT)
#endif
#ifdef __NR_ipc
#define SYSV(NAME) __NR_ipc
#define SYSV_SEMOP __NR_ipc
#else
#define SYSV(NAME) __NR_##NAME
#define SYSV_SEMOP __NR_semtimedop
#endif
#if __SIZEOF_LONG__ == 8
#define GETRLIMIT __NR_prlimit64
#elif defined __NR_ugetrlimit
#define GETRLIMIT __NR_ugetrlimit
#else
#define GETRLIMIT __NR_getrlimit
#endif

#endif
