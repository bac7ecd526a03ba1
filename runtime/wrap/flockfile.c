/* The program's own use of a stream's lock. */
#include <inst/streams.h>
#include <stdio.h>

extern void __real_flockfile(FILE *);
extern int __real_ftrylockfile(FILE *);
extern void __real_funlockfile(FILE *);

void __wrap_flockfile(FILE *stream)
{
    __real_flockfile(stream);
    inst_stream_locked(stream, __builtin_return_address(0));
}

int __wrap_ftrylockfile(FILE *stream)
{
    int failed = __real_ftrylockfile(stream);
    if (!failed)
        inst_stream_locked(stream, __builtin_return_address(0));
    return failed;
}

void __wrap_funlockfile(FILE *stream)
{
    inst_stream_unlocks(stream, __builtin_return_address(0));
    __real_funlockfile(stream);
}
