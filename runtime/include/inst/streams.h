/* How the wrapper of a function on a stream orders threads. */
#ifndef INST_STREAMS_H
#define INST_STREAMS_H

#include <inst/lock_order.h>

enum {
    INST_LOCKS = 1,         /* holds the stream's lock */
    INST_SENDS = 2,         /* may write to its file */
    INST_RECEIVES = 4,      /* may read from its file */
    INST_CLOSES = 8,        /* frees the stream */
    INST_SETS_BUFFER = 16,  /* takes the program's buffer */
    INST_FLUSHES = 32,      /* uses all streams if it is passed none */
};

struct inst_stream_use {
    void *stream;           /* 0: none, or all */
    const void *buffer;     /* before the function runs */
    int how;                /* 0: nothing is to be ordered */
    uintptr_t place;        /* of the call */
};

#pragma GCC visibility push(hidden)

/* Before a function on a stream, null for none; after it, before its memory is reported; and when the
   wrapper returns, or the thread is cancelled in it.  They leave errno alone. */
void inst_stream_begins(struct inst_stream_use *use, void *stream, int how, void *returns_to);
void inst_stream_ran(struct inst_stream_use *use);
void inst_stream_ends(struct inst_stream_use *use);

/* A function that is passed a file, not a stream, is about to print to it. */
void inst_file_printed(int file, void *returns_to);

/* A stream was opened; null: it was not. */
void inst_stream_opened(void *stream, void *returns_to);

/* The program locked a stream; it is about to unlock it. */
void inst_stream_locked(void *stream, void *returns_to);
void inst_stream_unlocks(void *stream, void *returns_to);

#pragma GCC visibility pop

#endif
