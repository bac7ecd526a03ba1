/* Streams, and the three that every program has. */
#include <inst/wrap.h>
#include <stdio.h>

#ifdef __GLIBC__
void inst_stream(const void *file)
{
    const FILE *stream = file;
    if (!stream)
        return;
    inst_writes(stream, sizeof *stream);
    inst_writes(stream->_IO_buf_base, stream->_IO_buf_end - stream->_IO_buf_base);
}

#else
/* Elsewhere a stream is opaque: only the C library accesses it. */
void inst_stream(const void *file)
{
    (void)file;
}
#endif

void inst_stream_of(int number)
{
    FILE *const standard[] = { stdin, stdout, stderr };
    inst_stream(standard[number]);
}

void inst_memory(const void *file, int ends)
{
    if (inst_memory_stream)
        inst_memory_stream(file, ends);
}
