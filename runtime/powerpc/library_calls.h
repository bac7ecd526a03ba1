/* What wrappers of C library functions must know of PowerPC: where results are returned, and which
   system calls the C library makes.  In inst/wrap.h is what they have in common. */
#ifndef INST_LIBRARY_CALLS_H
#define INST_LIBRARY_CALLS_H

#include <asm/unistd.h>

/* Report the memory of a long double or a structure that is returned: an argument points there. */
#define inst_result_written(size) ((void)0)

/* Whether a structure of up to 16 bytes, and one of more than 32, is returned where a first argument
   points that the source does not have. */
#if defined _CALL_ELF && _CALL_ELF == 2
#define INST_SMALL_RESULT_IS_PASSED 0
#else
#define INST_SMALL_RESULT_IS_PASSED 1
#endif
#define INST_LARGE_RESULT_IS_PASSED 1

/* The call for the time where the kernel has no page for it. */
#ifdef __powerpc64__
#define GETTIMEOFDAY __NR_gettimeofday
#define TIME __NR_time
#define TIME_RESULT(NOW) ((long)(NOW))
#else
#define GETTIMEOFDAY CLOCK_GETTIME
#define TIME CLOCK_GETTIME
#define TIME_RESULT(NOW) 0L
#endif

/* The one call for all of sockets where the C library makes it, else 0. */
#define SOCKETS 0
#define ACCEPTING 0
#define BINDING 0

#endif
