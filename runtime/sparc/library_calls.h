/* What wrappers of C library functions must know of SPARC: where results are returned, and which
   system calls the C library makes.  In inst/wrap.h is what they have in common. */
#ifndef INST_LIBRARY_CALLS_H
#define INST_LIBRARY_CALLS_H

#include <asm/unistd.h>

/* Report the memory of a long double or a structure that is returned: in 32-bit code the caller's
   [%sp+64] points there. */
#ifdef __arch64__
#define inst_result_written(size) ((void)0)
#else
#define inst_result_written(size)                                                           \
    inst_writes(*(void **)((char *)__builtin_frame_address(0) + 64), size)
#endif

/* Whether a structure of up to 16 bytes, and one of more than 32, is returned where a first argument
   points that the source does not have. */
#define INST_SMALL_RESULT_IS_PASSED 0
#ifdef __arch64__
#define INST_LARGE_RESULT_IS_PASSED 1
#else
#define INST_LARGE_RESULT_IS_PASSED 0
#endif

/* The call for the time where the kernel has no page for it. */
#define GETTIMEOFDAY CLOCK_GETTIME
#define TIME CLOCK_GETTIME
#define TIME_RESULT(NOW) 0L

/* The one call for all of sockets where the C library makes it, else 0. */
#ifdef __arch64__
#define SOCKETS 0
#define ACCEPTING 0
#else
#define SOCKETS __NR_socketcall
#define ACCEPTING __NR_accept4
#endif
#define BINDING __NR_socketcall

#endif
