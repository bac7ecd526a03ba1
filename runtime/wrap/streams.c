/* Streams, the three that every program has, and how functions on them order threads.

   Each function but those named ..._unlocked holds the stream's lock while it runs.  Its wrapper
   holds that too, from before the call until all is reported: so the order in which threads used
   the stream is the one that is recorded.  The token is the odd number after the stream's address.
   Programs with one thread have nothing to order, and no lock is taken.  */
#include <inst/file_order.h>
#include <inst/lock_order.h>
#include <inst/streams.h>
#include <inst/wrap.h>
#include <stdio.h>

static uintptr_t token_of(const void *stream)
{
    return (uintptr_t)stream | 1;
}

#ifdef __GLIBC__
static const void *buffer_of(const FILE *stream)
{
    return stream->_IO_buf_base;
}

static size_t buffer_size(const FILE *stream)
{
    return stream->_IO_buf_end - stream->_IO_buf_base;
}

void inst_stream(const void *file)
{
    if (!file)
        return;
    inst_writes(file, sizeof(FILE));
    inst_writes(buffer_of(file), buffer_size(file));
}

/* The C library allocates streams and buffers by itself: they are ordered after the memory's
   previous owners, as the program's own blocks are. */
static void stream_allocated(const FILE *stream, uintptr_t place)
{
    inst_takes_block(stream, sizeof *stream, place);
    inst_takes_block(buffer_of(stream), buffer_size(stream), place);
}

static void buffer_allocated(const struct inst_stream_use *use)
{
    if (buffer_of(use->stream) != use->buffer)
        inst_takes_block(buffer_of(use->stream), buffer_size(use->stream), use->place);
}

/* The C library's list of open streams, which no header declares and other C libraries lack. */
#pragma weak _IO_list_lock
#pragma weak _IO_list_unlock
#pragma weak _IO_iter_begin
#pragma weak _IO_iter_next
#pragma weak _IO_iter_file
extern void _IO_list_lock(void);
extern void _IO_list_unlock(void);
extern FILE *_IO_iter_begin(void);
extern FILE *_IO_iter_next(FILE *);
extern FILE *_IO_iter_file(FILE *);

/* Whether output waits; wide streams have it elsewhere. */
static int has_output(const FILE *stream)
{
    return stream->_mode > 0 || stream->_IO_write_ptr > stream->_IO_write_base;
}

static void flush_one(FILE *stream, int how, uintptr_t place)
{
    int is_locked = !(stream->_flags & _IO_USER_LOCK);
    if (is_locked) {
        flockfile(stream);
        inst_takes(token_of(stream), place);
    }
    if (how & INST_SENDS && has_output(stream))
        inst_file_sends(fileno(stream), place);
    if (is_locked) {
        inst_leaves(token_of(stream), place);
        funlockfile(stream);
    }
}

/* fflush(NULL) uses each open stream.  It holds one stream's lock at a time, and so does this, before
   it for what it writes and after it for who used a stream meanwhile. */
static void flush_all(int how, uintptr_t place)
{
    if (!_IO_list_lock)
        return;
    _IO_list_lock();
    for (FILE *at = _IO_iter_begin(); at; at = _IO_iter_next(at))
        flush_one(_IO_iter_file(at), how, place);
    _IO_list_unlock();
}

#else
/* Elsewhere a stream is opaque: only the C library accesses it. */
static const void *buffer_of(const FILE *stream)
{
    (void)stream;
    return 0;
}

void inst_stream(const void *file)
{
    (void)file;
}

static void stream_allocated(const FILE *stream, uintptr_t place)
{
    (void)stream, (void)place;
}

static void buffer_allocated(const struct inst_stream_use *use)
{
    (void)use;
}

static void flush_all(int how, uintptr_t place)
{
    (void)how, (void)place;
}
#endif

void inst_stream_of(int number)
{
    FILE *const standard[] = { stdin, stdout, stderr };
    inst_stream(standard[number]);
}

void inst_stream_locked(void *stream, void *returns_to)
{
    if (inst_has_threads())
        inst_takes(token_of(stream), inst_call_address(returns_to));
}

void inst_stream_unlocks(void *stream, void *returns_to)
{
    if (inst_has_threads())
        inst_leaves(token_of(stream), inst_call_address(returns_to));
}

void inst_stream_opened(void *stream, void *returns_to)
{
    if (stream && inst_has_threads())
        stream_allocated(stream, inst_call_address(returns_to));
}

void inst_stream_begins(struct inst_stream_use *use, void *stream, int how, void *returns_to)
{
    use->how = inst_has_threads() && (stream || how & INST_FLUSHES) ? how : 0;
    use->stream = use->how ? stream : 0;
    if (!use->how)
        return;
    int error = errno;
    use->place = inst_call_address(returns_to);
    if (!stream) {
        flush_all(how, use->place);
        errno = error;
        return;
    }
    if (how & INST_LOCKS) {
        flockfile(use->stream);
        inst_takes(token_of(use->stream), use->place);
    }
    if (how & INST_SENDS)
        inst_file_sends(fileno(use->stream), use->place);
    if (how & INST_CLOSES)
        inst_leaves(token_of(use->stream), use->place);
    use->buffer = buffer_of(use->stream);
    errno = error;
}

void inst_stream_ran(struct inst_stream_use *use)
{
    if (!use->how || use->how & INST_CLOSES)
        return;
    int error = errno;
    if (!use->stream) {
        flush_all(0, use->place);
        errno = error;
        return;
    }
    if (use->how & INST_RECEIVES)
        inst_file_received(fileno(use->stream), use->place);
    if (!(use->how & INST_SETS_BUFFER))
        buffer_allocated(use);
    errno = error;
}

void inst_stream_ends(struct inst_stream_use *use)
{
    if (!use->stream || !(use->how & INST_LOCKS))
        return;
    inst_leaves(token_of(use->stream), use->place);
    funlockfile(use->stream);
}

void inst_file_printed(int file, void *returns_to)
{
    if (inst_has_threads())
        inst_file_sends(file, inst_call_address(returns_to));
}

void inst_memory(const void *file, int ends)
{
    if (inst_memory_stream)
        inst_memory_stream(file, ends);
}
