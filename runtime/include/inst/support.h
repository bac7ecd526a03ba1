/* Functions of the C library for hooks, under names of their own: the same names in capitals,
   as the 1994 tool had them.  They are not instrumented, call no hook and no function of the
   program's C library, block signals while they hold a lock, and leave errno alone.
   Those that make a system call return its result, or the error number negated.  A program links
   only those that its hooks use.  There is no floating point: PRINTF knows d i u x X o c s p
   and %, with flags - 0 + space #, width, precision, and sizes hh h l ll z t j.  */
#ifndef INST_SUPPORT_H
#define INST_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

/* Files.  A FILE is a descriptor here; what is written to it is written at once. */
int OPEN(const char *path, int flags, ...);
int CREAT(const char *path, unsigned mode);
int CLOSE(int fd);
long READ(int fd, void *to, size_t size);
long WRITE(int fd, const void *from, size_t size);
int DUP(int fd);
int PIPE(int fds[2]);
int UNLINK(const char *path);
int FSYNC(int fd);

/* The process. */
int GETPID(void);
int GETTID(void);
int KILL(int process, int signal);
void ABORT(void) __attribute__((noreturn));
void _EXIT(int status) __attribute__((noreturn));
const char *GETENV(const char *name); /* 0 in a privileged process, as secure_getenv */
int CLOCK_GETTIME(int clock, void *timespec);

/* Memory, from the system's own pages and never from the program's malloc. */
void *MALLOC(size_t size);
void *CALLOC(size_t count, size_t size);
void *REALLOC(void *block, size_t size);
void FREE(void *block);

/* Strings. */
void *MEMCPY(void *to, const void *from, size_t size);
void *MEMMOVE(void *to, const void *from, size_t size);
void *MEMSET(void *to, int byte, size_t size);
int MEMCMP(const void *one, const void *other, size_t size);
void BZERO(void *to, size_t size);
size_t STRLEN(const char *text);
char *STRCPY(char *to, const char *from);
char *STRCAT(char *to, const char *from);
int STRCMP(const char *one, const char *other);
int STRNCMP(const char *one, const char *other, size_t size);
char *STRCHR(const char *text, int character);
long STRTOL(const char *text, char **end, int base);

/* Text.  Each call writes with one system call, so lines of threads do not mix; a line is cut
   off after 1,023 characters, for SNPRINTF after size - 1. */
int PRINTF(const char *format, ...) __attribute__((format(printf, 1, 2)));
int DPRINTF(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
int SNPRINTF(char *to, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int VSNPRINTF(char *to, size_t size, const char *format, va_list arguments);
int PUTS(const char *line);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
