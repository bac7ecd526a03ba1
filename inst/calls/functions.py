"""Functions of the C library and what they touch of the program's memory.

A row is `PROTOTYPE | READS | WRITES`, and `| NUMBER` of the system call it is known to make. Each part of READS and WRITES is `POINTER: BYTES`, two C
expressions in terms of the parameters and of `result`; READS without `result` are reported
before the function runs, everything else after it. The headers that declare the functions stand
above them. Facts: the C standard, POSIX, and what glibc's manual adds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

_ROWS = """
#include <string.h>
void *memcpy(void *to, const void *from, size_t size) | from: size | to: size
void *memmove(void *to, const void *from, size_t size) | from: size | to: size
void *mempcpy(void *to, const void *from, size_t size) | from: size | to: size
void *memccpy(void *to, const void *from, int c, size_t size) | from: result ? (char *)result - (char *)to : size | to: result ? (char *)result - (char *)to : size
void *memset(void *to, int value, size_t size) | | to: size
void *memchr(const void *from, int c, size_t size) | from: result ? (char *)result - (char *)from + 1 : size |
void *memrchr(const void *from, int c, size_t size) | from: size |
void *rawmemchr(const void *from, int c) | from: (char *)result - (char *)from + 1 |
int memcmp(const void *one, const void *other, size_t size) | one: size; other: size |
int bcmp(const void *one, const void *other, size_t size) | one: size; other: size |
void bzero(void *to, size_t size) | | to: size
void explicit_bzero(void *to, size_t size) | | to: size
void bcopy(const void *from, void *to, size_t size) | from: size | to: size
size_t strlen(const char *text) | text: result + 1 |
size_t strnlen(const char *text, size_t limit) | text: result < limit ? result + 1 : limit |
char *strcpy(char *to, const char *from) | from: STRING(from) | to: STRING(to)
char *stpcpy(char *to, const char *from) | from: STRING(from) | to: STRING(to)
char *strncpy(char *to, const char *from, size_t size) | from: LIMITED(from, size) | to: size
char *stpncpy(char *to, const char *from, size_t size) | from: LIMITED(from, size) | to: size
char *strcat(char *to, const char *from) | to: STRING(to); from: STRING(from) | to: STRING(to)
char *strncat(char *to, const char *from, size_t size) | to: STRING(to); from: LIMITED(from, size) | to: STRING(to)
char *strdup(const char *from) | from: STRING(from) | result: result ? STRING(result) : 0
char *strndup(const char *from, size_t size) | from: LIMITED(from, size) | result: result ? STRING(result) : 0
int strcmp(const char *one, const char *other) | one: COMPARED(one, other, ~(size_t)0); other: COMPARED(one, other, ~(size_t)0) |
int strncmp(const char *one, const char *other, size_t size) | one: COMPARED(one, other, size); other: COMPARED(one, other, size) |
int strcoll(const char *one, const char *other) | one: STRING(one); other: STRING(other) |
size_t strxfrm(char *to, const char *from, size_t size) | from: STRING(from) | to: result < size ? result + 1 : size
char *strchr(const char *text, int c) | text: result ? result - text + 1 : STRING(text) |
char *strchrnul(const char *text, int c) | text: result - text + 1 |
char *strrchr(const char *text, int c) | text: STRING(text) |
char *strstr(const char *text, const char *part) | text: STRING(text); part: STRING(part) |
size_t strspn(const char *text, const char *set) | text: result + 1; set: STRING(set) |
size_t strcspn(const char *text, const char *set) | text: result + 1; set: STRING(set) |
char *strpbrk(const char *text, const char *set) | text: result ? result - text + 1 : STRING(text); set: STRING(set) |
char *strtok_r(char *text, const char *set, char **next) | set: STRING(set) | result: result ? STRING(result) + 1 : 0; next: sizeof *next
char *strtok(char *text, const char *set) | set: STRING(set) | result: result ? STRING(result) : 0
char *strsep(char **text, const char *set) | set: STRING(set) | result: result ? STRING(result) : 0; text: sizeof *text
char *strerror(int number) | | result: STRING(result)
#include <strings.h>
int strcasecmp(const char *one, const char *other) | one: STRING(one); other: STRING(other) |
int strncasecmp(const char *one, const char *other, size_t size) | one: LIMITED(one, size); other: LIMITED(other, size) |
#include <wchar.h>
size_t wcslen(const wchar_t *text) | text: (result + 1) * sizeof *text |
wchar_t *wcscpy(wchar_t *to, const wchar_t *from) | from: (wcslen(from) + 1) * sizeof *from | to: (wcslen(to) + 1) * sizeof *to
wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t count) | from: count * sizeof *from | to: count * sizeof *to
wchar_t *wmemset(wchar_t *to, wchar_t c, size_t count) | | to: count * sizeof *to
#include <stdlib.h>
void *malloc(size_t size) | | result: result ? size : 0
void *calloc(size_t count, size_t size) | | result: result ? count * size : 0
void *realloc(void *old, size_t size) | | result: result ? size : 0
void *aligned_alloc(size_t alignment, size_t size) | | result: result ? size : 0
int posix_memalign(void **place, size_t alignment, size_t size) | | place: result ? 0 : sizeof *place; *place: result ? 0 : size
long strtol(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
unsigned long strtoul(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
long long strtoll(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
unsigned long long strtoull(const char *text, char **end, int base) | text: STRING(text) | end: sizeof *end
double strtod(const char *text, char **end) | text: STRING(text) | end: sizeof *end
float strtof(const char *text, char **end) | text: STRING(text) | end: sizeof *end
int atoi(const char *text) | text: STRING(text) |
long atol(const char *text) | text: STRING(text) |
double atof(const char *text) | text: STRING(text) |
char *getenv(const char *name) | name: STRING(name) | result: result ? STRING(result) : 0
char *realpath(const char *path, char *to) | path: STRING(path) | result: result ? STRING(result) : 0
#include <math.h>
double frexp(double value, int *exponent) | | exponent: sizeof *exponent
double modf(double value, double *whole) | | whole: sizeof *whole
#include <errno.h>
int *__errno_location(void) | | result: sizeof *result
#include <unistd.h>
int getopt(int count, char *const words[], const char *options) | options: STRING(options) | &optarg: sizeof optarg; &optind: sizeof optind; &optopt: sizeof optopt; words: (count + 1) * sizeof *words
#include <time.h>
struct tm *gmtime(const time_t *when) | when: sizeof *when | result: sizeof *result
struct tm *localtime(const time_t *when) | when: sizeof *when | result: sizeof *result
struct tm *gmtime_r(const time_t *when, struct tm *to) | when: sizeof *when | to: sizeof *to
struct tm *localtime_r(const time_t *when, struct tm *to) | when: sizeof *when | to: sizeof *to
time_t mktime(struct tm *from) | from: sizeof *from | from: sizeof *from
char *asctime(const struct tm *from) | from: sizeof *from | result: STRING(result)
char *ctime(const time_t *when) | when: sizeof *when | result: STRING(result)
size_t strftime(char *to, size_t size, const char *format, const struct tm *from) | format: STRING(format); from: sizeof *from | to: result ? result + 1 : 0
#include <stdio.h>
char *fgets(char *to, int size, FILE *file) | | to: result ? STRING(to) : 0; file: sizeof *file
size_t fread(void *to, size_t size, size_t count, FILE *file) | | to: size * result; file: sizeof *file
size_t fwrite(const void *from, size_t size, size_t count, FILE *file) | from: size * count | file: sizeof *file
int fputs(const char *text, FILE *file) | text: STRING(text) | file: sizeof *file
int puts(const char *text) | text: STRING(text) | stdout: sizeof *stdout
int fflush(FILE *file) | | file: sizeof *file
int __uflow(FILE *file) | | file: sizeof *file; file->_IO_buf_base: file->_IO_buf_end - file->_IO_buf_base
int __overflow(FILE *file, int c) | | file: sizeof *file; file->_IO_buf_base: file->_IO_buf_end - file->_IO_buf_base
ssize_t getline(char **line, size_t *size, FILE *file) | line: sizeof *line; size: sizeof *size | line: sizeof *line; size: sizeof *size; *line: result > 0 ? result + 1 : 0; file: sizeof *file
ssize_t getdelim(char **line, size_t *size, int end, FILE *file) | line: sizeof *line; size: sizeof *size | line: sizeof *line; size: sizeof *size; *line: result > 0 ? result + 1 : 0; file: sizeof *file
FILE *fopen(const char *path, const char *mode) | path: STRING(path); mode: STRING(mode) | result: result ? sizeof *result : 0
int vsprintf(char *to, const char *format, va_list list) | format: STRING(format) | to: result < 0 ? 0 : result + 1
int vsnprintf(char *to, size_t size, const char *format, va_list list) | format: STRING(format) | to: result < 0 ? 0 : (size_t)result < size ? result + 1 : size
#include <unistd.h>
int pipe(int to[2]) | | to: result ? 0 : 2 * sizeof *to | __NR_pipe2
char *getcwd(char *to, size_t size) | | result: result ? STRING(result) : 0 | __NR_getcwd
int gethostname(char *to, size_t size) | | to: result ? 0 : LIMITED(to, size) | __NR_uname
#include <sys/select.h>
int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout) | in: BITS(count); out: BITS(count); other: BITS(count); timeout: sizeof *timeout | in: result < 0 ? 0 : BITS(count); out: result < 0 ? 0 : BITS(count); other: result < 0 ? 0 : BITS(count); timeout: result < 0 ? 0 : sizeof *timeout | __NR_pselect6
#include <sys/stat.h>
int stat(const char *path, struct stat *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int lstat(const char *path, struct stat *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int fstat(int file, struct stat *to) | | to: result ? 0 : sizeof *to | STAT
int fstatat(int at, const char *path, struct stat *to, int flags) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int stat64(const char *path, struct stat64 *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int lstat64(const char *path, struct stat64 *to) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
int fstat64(int file, struct stat64 *to) | | to: result ? 0 : sizeof *to | STAT
int fstatat64(int at, const char *path, struct stat64 *to, int flags) | path: STRING(path) | to: result ? 0 : sizeof *to | STAT
#include <sys/utsname.h>
int uname(struct utsname *to) | | to: result ? 0 : sizeof *to | __NR_uname
#include <sys/time.h>
int gettimeofday(struct timeval *to, void *zone) | | to: result ? 0 : sizeof *to | GETTIMEOFDAY
time_t time(time_t *to) | | to: sizeof *to | TIME
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *to) | | to: result ? 0 : sizeof *to | CLOCK_GETTIME
int clock_getres(clockid_t clock, struct timespec *to) | | to: result ? 0 : sizeof *to | CLOCK_GETRES
int nanosleep(const struct timespec *wanted, struct timespec *left) | wanted: sizeof *wanted | left: result ? sizeof *left : 0 | CLOCK_NANOSLEEP
#include <dirent.h>
struct dirent *readdir(DIR *from) | | result: result ? result->d_reclen : 0
#include <sys/resource.h>
int getrlimit(int which, struct rlimit *to) | | to: result ? 0 : sizeof *to | GETRLIMIT
#include <termios.h>
int tcgetattr(int file, struct termios *to) | | to: result ? 0 : sizeof *to | __NR_ioctl
int tcsetattr(int file, int when, const struct termios *from) | from: sizeof *from | | __NR_ioctl
"""

_CALL_ROWS = """
#include <unistd.h>
ssize_t read(int file, void *to, size_t size) = read(file, to, size)
ssize_t write(int file, const void *from, size_t size) = write(file, from, size)
ssize_t pread(int file, void *to, size_t size, off_t offset) = pread64(file, to, size)
ssize_t pwrite(int file, const void *from, size_t size, off_t offset) = pwrite64(file, from, size)
ssize_t pread64(int file, void *to, size_t size, off64_t offset) = pread64(file, to, size)
ssize_t pwrite64(int file, const void *from, size_t size, off64_t offset) = pwrite64(file, from, size)
int close(int file) = close(file)
int shutdown(int file, int how) = shutdown(file, how)
int access(const char *path, int mode) = access(path, mode)
int chdir(const char *path) = chdir(path)
int fchdir(int file) = fchdir(file)
int rmdir(const char *path) = rmdir(path)
int unlink(const char *path) = unlink(path)
int unlinkat(int at, const char *path, int flags) = unlinkat(at, path, flags)
int link(const char *old, const char *new) = link(old, new)
int symlink(const char *old, const char *new) = symlink(old, new)
ssize_t readlink(const char *path, char *to, size_t size) = readlink(path, to, size)
ssize_t readlinkat(int at, const char *path, char *to, size_t size) = readlinkat(at, path, to, size)
int chown(const char *path, uid_t owner, gid_t group) = CHOWN(path, owner, group)
int truncate(const char *path, off_t length) = truncate(path, length)
int getgroups(int size, gid_t *to) = GETGROUPS(size, to)
int pipe2(int to[2], int flags) = pipe2(to, flags)
int dup(int file) = dup(file)
int dup2(int file, int other) = dup2(file, other)
pid_t getpid(void) = getpid()
pid_t getppid(void) = getppid()
uid_t getuid(void) = GETUID()
int ftruncate(int file, off_t length) = ftruncate(file, length)
off_t lseek(int file, off_t offset, int whence) = LSEEK(file, 0, 0, 0, whence)
int fsync(int file) = fsync(file)
#include <fcntl.h>
int open(const char *path, int flags, ..., long mode) = openat(AT_FDCWD, path, flags, mode)
int open64(const char *path, int flags, ..., long mode) = openat(AT_FDCWD, path, flags, mode)
int openat(int at, const char *path, int flags, ..., long mode) = openat(at, path, flags, mode)
int creat(const char *path, mode_t mode) = creat(path, mode)
int fcntl(int file, int command, ..., long argument) = FCNTL(file, command, argument)
#include <stdio.h>
int rename(const char *old, const char *new) = rename(old, new)
#include <sys/stat.h>
int mkdir(const char *path, mode_t mode) = mkdir(path, mode)
int mkdirat(int at, const char *path, mode_t mode) = mkdirat(at, path, mode)
int chmod(const char *path, mode_t mode) = chmod(path, mode)
int fchmod(int file, mode_t mode) = fchmod(file, mode)
mode_t umask(mode_t mode) = umask(mode)
#include <sys/ioctl.h>
int ioctl(int file, unsigned long request, ..., long argument) = ioctl(file, request, argument)
#include <sys/uio.h>
ssize_t readv(int file, const struct iovec *vectors, int count) = readv(file, vectors, count)
ssize_t writev(int file, const struct iovec *vectors, int count) = writev(file, vectors, count)
ssize_t preadv(int file, const struct iovec *vectors, int count, off_t offset) = preadv(file, vectors, count)
ssize_t pwritev(int file, const struct iovec *vectors, int count, off_t offset) = pwritev(file, vectors, count)
#include <sys/socket.h>
int socket(int domain, int type, int protocol) = socket(domain, type, protocol)
int socketpair(int domain, int type, int protocol, int to[2]) = socketpair(domain, type, protocol, to)
int bind(int file, const void *address, socklen_t length) = bind(file, address, length)
int connect(int file, const void *address, socklen_t length) = connect(file, address, length)
int listen(int file, int count) = listen(file, count)
int accept(int file, void *address, socklen_t *length) = accept(file, address, length)
int getsockname(int file, void *address, socklen_t *length) = getsockname(file, address, length)
int getpeername(int file, void *address, socklen_t *length) = getpeername(file, address, length)
ssize_t send(int file, const void *from, size_t size, int flags) = SEND(file, from, size, flags, 0, 0)
ssize_t recv(int file, void *to, size_t size, int flags) = RECV(file, to, size, flags, 0, 0)
ssize_t sendto(int file, const void *from, size_t size, int flags, const void *address, socklen_t length) = sendto(file, from, size, flags, address, length)
ssize_t recvfrom(int file, void *to, size_t size, int flags, void *address, socklen_t *length) = recvfrom(file, to, size, flags, address, length)
ssize_t sendmsg(int file, const struct msghdr *message, int flags) = sendmsg(file, message, flags)
ssize_t recvmsg(int file, struct msghdr *message, int flags) = recvmsg(file, message, flags)
int setsockopt(int file, int level, int name, const void *value, socklen_t size) = setsockopt(file, level, name, value, size)
int getsockopt(int file, int level, int name, void *value, socklen_t *size) = getsockopt(file, level, name, value, size)
#include <poll.h>
int poll(struct pollfd *files, nfds_t count, int timeout) = poll(files, count, timeout)
#include <sys/epoll.h>
int epoll_create1(int flags) = epoll_create1(flags)
int epoll_ctl(int file, int command, int other, struct epoll_event *event) = epoll_ctl(file, command, other, event)
int epoll_wait(int file, struct epoll_event *to, int size, int timeout) = epoll_wait(file, to, size, timeout)
#include <sys/resource.h>
int getrusage(int who, struct rusage *to) = getrusage(who, to)
#include <sys/times.h>
clock_t times(struct tms *to) = times(to)
#include <sys/time.h>
int getitimer(int which, struct itimerval *to) = getitimer(which, to)
int setitimer(int which, const struct itimerval *from, struct itimerval *to) = setitimer(which, from, to)
#include <sys/sysinfo.h>
int sysinfo(struct sysinfo *to) = sysinfo(to)
#include <sys/random.h>
ssize_t getrandom(void *to, size_t size, unsigned flags) = getrandom(to, size, flags)
#include <sys/wait.h>
pid_t wait(int *status) = wait4(-1, status, 0, 0)
pid_t waitpid(pid_t pid, int *status, int options) = wait4(pid, status, options, 0)
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage) = wait4(pid, status, options, usage)
#include <sys/mman.h>
int mincore(void *address, size_t size, unsigned char *to) = mincore(address, size, to)
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) = MMAP(address, size, protection, flags, file)
int munmap(void *address, size_t size) = munmap(address, size)
#include <unistd.h>
long syscall(long number, ..., long a, long b, long c, long d, long e, long f) = *(a, b, c, d, e, f)
"""
"""`PROTOTYPE = CALL(ARGUMENTS)`: the function does this system call, whose row in
`inst.calls.kernel` says what it touches. It returns -1 and sets errno; `?`: it returns something
else, and no errors matter. Capitals are resolved by `inst/wrap.h`, `*` is the call that the
first parameter names. What glibc 2.34 and later do is what stands here."""


@dataclass(frozen=True, slots=True)
class Range:
    """Memory that a function touches: two C expressions."""

    pointer: str
    size: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function and what it touches."""

    name: str
    result: str
    """Its type, as C."""
    parameters: str
    arguments: tuple[str, ...]
    """Names of the parameters."""
    before: tuple[Range, ...]
    """Read; known before the function runs."""
    after: tuple[Range, ...]
    """Read; known when it has run."""
    written: tuple[Range, ...]
    header: str
    number: str = ""
    """The system call that it makes, as C; "": none, or none that is always made."""
    call: str = ""
    """Instead of ranges: the system call whose row says what is touched, with `passed`."""
    passed: tuple[str, ...] = ()
    errors: bool = True
    """Whether the result -1 means that errno tells an error."""

    @property
    def made(self) -> str:
        """The call that is made for it where one call stands for many, as C."""
        if self.name in ("bind", "listen"):
            return "BINDING"
        return "SOCKETS" if self.header == "<sys/socket.h>" else "0"

    @property
    def fixed(self) -> str:
        """The parameters of a definition: those that a `...` may stand for are there."""
        return self.parameters.replace("..., ", "")

    @property
    def declared(self) -> str:
        """The parameters of the function itself."""
        head, dots, _ = self.parameters.partition("...")
        return head + dots


_PROTOTYPE = re.compile(r"\s*(?P<result>.*?)(?P<name>\w+)\((?P<parameters>.*)\)\s*")
_NAME = re.compile(r"(?:\(\*(\w+)\)\(.*?\)|(\w+)(?:\[\w*\])?)\s*(?:,|$)")


def _function(line: str, header: str) -> Function:
    prototype, reads, writes, number, *_ = [*line.split("|"), ""]
    found = _PROTOTYPE.fullmatch(prototype)
    assert found, line
    ranges = _ranges(reads)
    names = [one or other for one, other in _NAME.findall(found["parameters"])]
    return Function(
        name=found["name"],
        result=found["result"].strip(),
        parameters=found["parameters"],
        arguments=tuple(name for name in names if name != "void"),
        before=tuple(one for one in ranges if "result" not in one.pointer + one.size),
        after=tuple(one for one in ranges if "result" in one.pointer + one.size),
        written=_ranges(writes),
        header=header,
        number=number.strip(),
    )


def _call(line: str, header: str) -> Function:
    prototype, call = line.split(" = ")
    name, _, arguments = call.rstrip(")").partition("(")
    passed = tuple(part for part in arguments.split(", ") if part)
    plain = _function(f"{prototype} | |", header)
    number = plain.arguments[0] if name == "*" else f"__NR_{name.lstrip('?')}"
    if name.isupper():
        number = f"CALL_{name}"
    return replace(plain, call=number, passed=passed, errors=not name.startswith("?"))


def _ranges(text: str) -> tuple[Range, ...]:
    parts = [part.split(":", 1) for part in text.split(";") if part.strip()]
    return tuple(Range(pointer.strip(), size.strip()) for pointer, size in parts)


def _read(rows: str, made: Callable[[str, str], Function]) -> dict[str, Function]:
    functions, header = {}, ""
    for line in rows.strip().splitlines():
        if line.startswith("#include"):
            header = line.removeprefix("#include").strip()
        else:
            function = made(line, header)
            functions[function.name] = function
    return functions


FUNCTIONS: dict[str, Function] = _read(_ROWS, _function) | _read(_CALL_ROWS, _call)
"""The functions by name."""
