/* For wrappers of C library functions: NAME is watched by __wrap_NAME, which calls the function
   itself as __real_NAME.  The library's build gives both their names in the object file,
   inst.wrap.NAME and NAME: see inst/rewrite/wrapping.py.

   Wrappers run where the program could call, so they may call the C library; hooks may not. */
#ifndef INST_WRAP_H
#define INST_WRAP_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Code that is not instrumented reads, or has written, size bytes of the program's memory. */
void inst_range_read(const volatile void *address, size_t size);
void inst_range_written(const volatile void *address, size_t size);

#pragma GCC visibility pop

static inline void inst_reads(const volatile void *address, size_t size)
{
    if (size)
        inst_range_read(address, size);
}

static inline void inst_writes(const volatile void *address, size_t size)
{
    if (size)
        inst_range_written(address, size);
}

#endif
