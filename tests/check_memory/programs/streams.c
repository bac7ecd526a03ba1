/* Two threads and the C library's streams: without an argument and with "cancel" what is correct, with
   "wrong" what is wrong, on lines with a comment that names it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES = 20 };
static int data, unordered;
static FILE *in, *out, *log_file;
static int ends[2];

static void expect(int truth)
{
    if (!truth)
        abort();
}

static void *prints(void *name)
{
    for (int n = 0; n < LINES; n++) {
        fprintf(log_file, "%s %d\n", (char *)name, n);
        fputs("line\n", log_file);
        fputc('.', log_file);
        puts(name);
    }
    return 0;
}

static void *prints_without_calls(void *name)
{
    for (int n = 0; n < LINES; n++) {
        flockfile(log_file);
        putc_unlocked(*(char *)name, log_file);
        funlockfile(log_file);
        fprintf(log_file, "%d", n);
    }
    return 0;
}

static void *opens_and_closes(void *name)
{
    char line[32];
    for (int n = 0; n < LINES; n++) {
        FILE *own = tmpfile();
        fprintf(own, "%s %d\n", (char *)name, n);
        rewind(own);
        expect(fgets(line, sizeof line, own) && line[0] == *(char *)name);
        fclose(own);
        char *block = malloc(4096);
        for (int at = 0; at < 4096; at += 512)
            block[at] = 1;
        free(block);
    }
    return 0;
}

static void *sends(void *unused)
{
    data = 42;
    fprintf(out, "ready\n");
    fflush(out);
    return unused;
}

static void *closes(void *unused)
{
    data = 43;
    fputs("ready", out);
    fclose(out);                /* not flushed before */
    return unused;
}

static void *prints_to_file(void *unused)
{
    data = 44;
    dprintf(ends[1], "%s\n", "ready");
    return unused;
}

static void *flushes_all(void *unused)
{
    fputs("ready\n", out);
    data = 45;
    fflush(0);
    return unused;
}

/* The lock of `log_file` alone orders it: the other thread used that before.  The mask is a signal that
   orders nothing in a trace. */
static void *flushes_after_use(void *unused)
{
    while (umask(022) != 0123)
        ;
    fflush(0);
    expect(data == 46);
    return unused;
}

static void *flushes_before(void *unused)
{
    unordered++;                                    /* all streams flushed, none used */
    fflush(0);
    return unused;
}

static void *prints_elsewhere(void *file)
{
    unordered++;                                    /* files that have nothing in common */
    dprintf(*(int *)file, "%d\n", 1);
    return 0;
}

static void *waits_to_be_cancelled(void *unused)
{
    char line[8];
    fgets(line, sizeof line, in);
    return unused;
}

static void *without_lock(void *name)
{
    for (int n = 0; n < LINES; n++)
        putc_unlocked(*(char *)name, log_file);
    return 0;
}

static void *other_stream(void *stream)
{
    unordered++;                                    /* streams that have nothing in common */
    fputs("line\n", stream);
    return 0;
}

static pthread_t start(void *(*work)(void *), void *argument)
{
    pthread_t thread;
    expect(!pthread_create(&thread, 0, work, argument));
    return thread;
}

static void both(void *(*work)(void *), void *one, void *other)
{
    pthread_t thread = start(work, one);
    work(other);
    expect(!pthread_join(thread, 0));
}

static void piped(void)
{
    expect(!pipe(ends));
    in = fdopen(ends[0], "r");
    out = fdopen(ends[1], "w");
}

static void correct(void)
{
    char line[32], *whole = 0;
    size_t room = 0;
    both(prints, "one", "other");
    both(prints_without_calls, "a", "b");
    both(opens_and_closes, "a", "b");

    piped();
    pthread_t thread = start(sends, 0);
    expect(fgets(line, sizeof line, in) && data == 42);
    pthread_join(thread, 0);
    thread = start(closes, 0);
    expect(getline(&whole, &room, in) == 5 && data == 43);
    pthread_join(thread, 0);
    fclose(in);

    piped();
    thread = start(prints_to_file, 0);
    expect(fgets(line, sizeof line, in) && data == 44);
    pthread_join(thread, 0);
    thread = start(flushes_all, 0);
    expect(read(ends[0], line, sizeof line) == 6 && data == 45);    /* fgets would lock `in` */
    pthread_join(thread, 0);
    thread = start(flushes_after_use, 0);
    data = 46;
    fputc('.', log_file);
    umask(0123);
    pthread_join(thread, 0);
}

/* A thread that still held the lock of `in` after its end would stop the program here. */
static void cancelled(void)
{
    piped();
    pthread_t thread = start(waits_to_be_cancelled, 0);
    usleep(20000);
    expect(!pthread_cancel(thread));
    expect(!pthread_join(thread, 0));
    flockfile(in);
    funlockfile(in);
}

int main(int count, char **words)
{
    log_file = tmpfile();
    if (count == 1) {
        correct();
    } else if (!strcmp(words[1], "cancel")) {
        cancelled();
    } else {
        both(without_lock, "a", "b");
        both(other_stream, log_file, tmpfile());
        both(flushes_before, 0, 0);
        int files[] = { fileno(log_file), fileno(tmpfile()) };
        both(prints_elsewhere, &files[0], &files[1]);
    }
    return 0;
}
