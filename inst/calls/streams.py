"""Functions of the C library on streams, as `inst.calls.touched` has others.

Instrumented code reads a stream and its buffer directly, by getc_unlocked and similar macros. So
functions on a stream report both as written: STREAM. MEMORY is what open_memstream guarantees
when the stream is flushed. How they order threads follows from their names: `use_of`.
"""

import re

from inst.dataclass import dataclass

ROWS = """
#include <stdio.h>
char *fgets(char *to, int size, FILE *file) | | to: result ? STRING(to) : 0; STREAM(file)
char *fgets_unlocked(char *to, int size, FILE *file) | | to: result ? STRING(to) : 0; STREAM(file)
size_t fread(void *to, size_t size, size_t count, FILE *file) | | to: size * result; STREAM(file)
size_t fread_unlocked(void *to, size_t size, size_t count, FILE *file) | | to: size * result; STREAM(file)
size_t fwrite(const void *from, size_t size, size_t count, FILE *file) | from: size * count | STREAM(file)
size_t fwrite_unlocked(const void *from, size_t size, size_t count, FILE *file) | from: size * count | STREAM(file)
int fputs(const char *text, FILE *file) | text: STRING(text) | STREAM(file)
int fputs_unlocked(const char *text, FILE *file) | text: STRING(text) | STREAM(file)
int puts(const char *text) | text: STRING(text) | OUTPUT()
void perror(const char *text) | text: text ? STRING(text) : 0 | ERRORS()
int fgetc(FILE *file) | | STREAM(file)
int getc(FILE *file) | | STREAM(file)
int getc_unlocked(FILE *file) | | STREAM(file)
int fgetc_unlocked(FILE *file) | | STREAM(file)
int getchar(void) | | INPUT()
int getchar_unlocked(void) | | INPUT()
int fputc(int c, FILE *file) | | STREAM(file)
int putc(int c, FILE *file) | | STREAM(file)
int putc_unlocked(int c, FILE *file) | | STREAM(file)
int fputc_unlocked(int c, FILE *file) | | STREAM(file)
int putchar(int c) | | OUTPUT()
int putchar_unlocked(int c) | | OUTPUT()
int ungetc(int c, FILE *file) | | STREAM(file)
int fflush(FILE *file) | | STREAM(file); MEMORY(file)
int fflush_unlocked(FILE *file) | | STREAM(file); MEMORY(file)
int fclose(FILE *file) | | MEMORY_ENDS(file)
int pclose(FILE *file) | |
int fseek(FILE *file, long offset, int whence) | | STREAM(file); MEMORY(file)
int fseeko(FILE *file, off_t offset, int whence) | | STREAM(file); MEMORY(file)
int fseeko64(FILE *file, off64_t offset, int whence) | | STREAM(file); MEMORY(file)
void rewind(FILE *file) | | STREAM(file); MEMORY(file)
void clearerr(FILE *file) | | STREAM(file)
int fgetpos(FILE *file, fpos_t *to) | | to: result ? 0 : sizeof *to; STREAM(file)
int fsetpos(FILE *file, const fpos_t *from) | from: sizeof *from | STREAM(file); MEMORY(file)
int fgetpos64(FILE *file, fpos64_t *to) | | to: result ? 0 : sizeof *to; STREAM(file)
int fsetpos64(FILE *file, const fpos64_t *from) | from: sizeof *from | STREAM(file); MEMORY(file)
int setvbuf(FILE *file, char *buffer, int how, size_t size) | | STREAM(file)
void setbuf(FILE *file, char *buffer) | | STREAM(file)
void setbuffer(FILE *file, char *buffer, size_t size) | | STREAM(file)
void setlinebuf(FILE *file) | | STREAM(file)
int getw(FILE *file) | | STREAM(file)
int putw(int value, FILE *file) | | STREAM(file)
int __uflow(FILE *file) | | STREAM(file)
int __overflow(FILE *file, int c) | | STREAM(file)
ssize_t getline(char **line, size_t *size, FILE *file) | line: sizeof *line; size: sizeof *size | LINE(); STREAM(file)
ssize_t __getdelim(char **line, size_t *size, int end, FILE *file) | line: sizeof *line; size: sizeof *size | LINE(); STREAM(file)
ssize_t getdelim(char **line, size_t *size, int end, FILE *file) | line: sizeof *line; size: sizeof *size | LINE(); STREAM(file)
FILE *fopen(const char *path, const char *mode) | path: STRING(path); mode: STRING(mode) | STREAM(result)
FILE *fopen64(const char *path, const char *mode) | path: STRING(path); mode: STRING(mode) | STREAM(result)
FILE *freopen(const char *path, const char *mode, FILE *file) | path: path ? STRING(path) : 0; mode: STRING(mode) | STREAM(result)
FILE *freopen64(const char *path, const char *mode, FILE *file) | path: path ? STRING(path) : 0; mode: STRING(mode) | STREAM(result)
FILE *fdopen(int file, const char *mode) | mode: STRING(mode) | STREAM(result)
FILE *popen(const char *text, const char *mode) | text: STRING(text); mode: STRING(mode) | STREAM(result)
FILE *tmpfile(void) | | STREAM(result)
FILE *tmpfile64(void) | | STREAM(result)
FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions) | mode: STRING(mode) | STREAM(result)
FILE *fmemopen(void *buffer, size_t size, const char *mode) | mode: STRING(mode) | STREAM(result)
int remove(const char *path) | path: STRING(path) |
char *tmpnam(char *to) | | result: result ? STRING(result) : 0
char *tmpnam_r(char *to) | | result: result ? STRING(result) : 0
char *tempnam(const char *directory, const char *prefix) | directory: directory ? STRING(directory) : 0; prefix: prefix ? STRING(prefix) : 0 | result: result ? STRING(result) : 0
#include <stdio_ext.h>
void __fpurge(FILE *file) | | STREAM(file)
#include <stdio.h> <wchar.h>
wint_t fgetwc(FILE *file) | | STREAM(file)
wint_t fputwc(wchar_t c, FILE *file) | | STREAM(file)
wchar_t *fgetws(wchar_t *to, int size, FILE *file) | | to: result ? WIDE(to) : 0; STREAM(file)
int fputws(const wchar_t *text, FILE *file) | text: WIDE(text) | STREAM(file)
wint_t getwc(FILE *file) | | STREAM(file)
wint_t putwc(wchar_t c, FILE *file) | | STREAM(file)
wint_t getwchar(void) | | INPUT()
wint_t putwchar(wchar_t c) | | OUTPUT()
wint_t ungetwc(wint_t c, FILE *file) | | STREAM(file)
wint_t fgetwc_unlocked(FILE *file) | | STREAM(file)
wint_t fputwc_unlocked(wchar_t c, FILE *file) | | STREAM(file)
wint_t getwc_unlocked(FILE *file) | | STREAM(file)
wint_t putwc_unlocked(wchar_t c, FILE *file) | | STREAM(file)
wchar_t *fgetws_unlocked(wchar_t *to, int size, FILE *file) | | to: result ? WIDE(to) : 0; STREAM(file)
int fputws_unlocked(const wchar_t *text, FILE *file) | text: WIDE(text) | STREAM(file)
"""

_STANDARD = {"INPUT()": "stdin", "OUTPUT()": "stdout", "ERRORS()": "stderr"}
"""Macro -> the stream that it reports."""
_PARAMETER = re.compile(r"\bFILE \*(\w+)")
_UNLOCKED = re.compile(r"_unlocked|__(uflow|overflow|fpurge)\b")
_RECEIVES = re.compile(r"get|read|scan|uflow|delim")
_CLOSES = ("fclose", "pclose")
_FLUSHES = ("fflush", "fflush_unlocked")
_SETS_BUFFER = ("setbuf", "setbuffer", "setvbuf")


@dataclass(frozen=True, slots=True)
class StreamUse:
    """What a function does with a stream, as C."""

    stream: str = ""
    """The stream that is passed to it, or that it always uses; "": none."""
    how: str = "0"
    """Constants of `inst/streams.h`."""
    opened: str = ""
    """The stream that it opens; "": none."""


def use_of(name: str, parameters: str, written: tuple[str, ...]) -> StreamUse:
    """Return the use of a stream by a function that reports these macros as written."""
    found = _PARAMETER.search(parameters)
    standard = next((_STANDARD[one] for one in written if one in _STANDARD), "")
    opened = "result" if "STREAM(result)" in written else ""
    stream = found[1] if found else standard
    return StreamUse(stream, _how(name), opened) if stream else StreamUse(opened=opened)


def _how(name: str) -> str:
    words = ["INST_RECEIVES" if _RECEIVES.search(name) else "INST_SENDS"]
    if name in _CLOSES:
        words.append("INST_CLOSES")
    elif not _UNLOCKED.search(name):
        words.append("INST_LOCKS")
    if name in _FLUSHES:
        words.append("INST_FLUSHES")
    if name in _SETS_BUFFER:
        words.append("INST_SETS_BUFFER")
    return " | ".join(words)
