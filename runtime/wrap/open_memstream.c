/* open_memstream: the pointer and the size it was passed are written when the stream is flushed. */
#include <inst/wrap.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern FILE *__real_open_memstream(char **, size_t *);

struct stream {
    struct stream *next;
    const void *file;
    char **text;
    size_t *size;
};

static struct stream *streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    int before = errno;
    FILE *file = __real_open_memstream(text, size);
    struct stream *stream = file ? malloc(sizeof *stream) : 0;
    if (stream) {
        pthread_mutex_lock(&lock);
        *stream = (struct stream){ streams, file, text, size };
        streams = stream;
        pthread_mutex_unlock(&lock);
    }
    inst_error_since(before);
    return file;
}

/* The stream was flushed, or closed: null means all of them. */
void inst_memory_stream(const void *file, int ends)
{
    int error = errno;
    pthread_mutex_lock(&lock);
    for (struct stream **at = &streams; *at;) {
        struct stream *stream = *at;
        if (!file || stream->file == file) {
            inst_writes(stream->text, sizeof *stream->text);
            inst_writes(stream->size, sizeof *stream->size);
            inst_writes(*stream->text, *stream->size + 1);
            if (ends) {
                *at = stream->next;
                free(stream);
                continue;
            }
        }
        at = &stream->next;
    }
    pthread_mutex_unlock(&lock);
    errno = error;
}
