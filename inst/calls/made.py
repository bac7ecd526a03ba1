"""Functions of the C library that make one system call each.

A row is `PROTOTYPE = CALL(ARGUMENTS)`: the function makes this system call, whose row in
`inst.calls.kernel` states what it touches. It returns -1 and sets errno where the call fails. Capitals
are resolved by `inst/wrap.h`, `*` is the call that the first parameter names. The rows are what
glibc 2.34 and later do.
"""

MADE = """
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
off64_t lseek64(int file, off64_t offset, int whence) = LSEEK(file, 0, 0, 0, whence)
int ftruncate64(int file, off64_t length) = ftruncate(file, length)
int truncate64(const char *path, off64_t length) = truncate(path, length)
int execve(const char *path, char *const words[], char *const variables[]) = execve(path, words, variables)
int execv(const char *path, char *const words[]) = execve(path, words, inst_environ())
int fsync(int file) = fsync(file)
#include <fcntl.h>
int open(const char *path, int flags, ..., long mode) = openat(AT_FDCWD, path, flags, mode)
int open64(const char *path, int flags, ..., long mode) = openat(AT_FDCWD, path, flags, mode)
int openat(int at, const char *path, int flags, ..., long mode) = openat(at, path, flags, mode)
int openat64(int at, const char *path, int flags, ..., long mode) = openat(at, path, flags, mode)
int __open_2(const char *path, int flags) = openat(AT_FDCWD, path, flags)
int __open64_2(const char *path, int flags) = openat(AT_FDCWD, path, flags)
int creat64(const char *path, mode_t mode) = creat(path, mode)
int fcntl64(int file, int command, ..., long argument) = FCNTL(file, command, argument)
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
ssize_t preadv64(int file, const struct iovec *vectors, int count, off64_t offset) = preadv(file, vectors, count)
ssize_t pwritev64(int file, const struct iovec *vectors, int count, off64_t offset) = pwritev(file, vectors, count)
ssize_t preadv2(int file, const struct iovec *vectors, int count, off_t offset, int flags) = preadv2(file, vectors, count)
ssize_t pwritev2(int file, const struct iovec *vectors, int count, off_t offset, int flags) = pwritev2(file, vectors, count)
ssize_t preadv64v2(int file, const struct iovec *vectors, int count, off64_t offset, int flags) = preadv2(file, vectors, count)
ssize_t pwritev64v2(int file, const struct iovec *vectors, int count, off64_t offset, int flags) = pwritev2(file, vectors, count)
#include <sys/socket.h>
int accept4(int file, void *address, socklen_t *length, int flags) = accept4(file, address, length, flags)
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
int recvmmsg(int file, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit) = RECVMMSG(file, messages, count, flags, MESSAGE_LIMIT(limit))
int sendmmsg(int file, struct mmsghdr *messages, unsigned count, int flags) = sendmmsg(file, messages, count, flags)
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
pid_t wait3(int *status, int options, struct rusage *usage) = wait4(-1, status, options, usage)
int waitid(idtype_t kind, id_t id, siginfo_t *to, int options) = waitid(kind, id, to, options, 0)
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage) = wait4(pid, status, options, usage)
#include <sys/xattr.h>
int setxattr(const char *path, const char *name, const void *from, size_t size, int flags) = setxattr(path, name, from, size, flags)
int lsetxattr(const char *path, const char *name, const void *from, size_t size, int flags) = lsetxattr(path, name, from, size, flags)
int fsetxattr(int file, const char *name, const void *from, size_t size, int flags) = fsetxattr(file, name, from, size, flags)
ssize_t getxattr(const char *path, const char *name, void *to, size_t size) = getxattr(path, name, to, size)
ssize_t lgetxattr(const char *path, const char *name, void *to, size_t size) = lgetxattr(path, name, to, size)
ssize_t fgetxattr(int file, const char *name, void *to, size_t size) = fgetxattr(file, name, to, size)
ssize_t listxattr(const char *path, char *to, size_t size) = listxattr(path, to, size)
ssize_t llistxattr(const char *path, char *to, size_t size) = llistxattr(path, to, size)
ssize_t flistxattr(int file, char *to, size_t size) = flistxattr(file, to, size)
int removexattr(const char *path, const char *name) = removexattr(path, name)
int lremovexattr(const char *path, const char *name) = lremovexattr(path, name)
int fremovexattr(int file, const char *name) = fremovexattr(file, name)
#include <dirent.h>
ssize_t getdents64(int file, void *to, size_t size) = getdents64(file, to, size)
#include <sys/signalfd.h>
int signalfd(int file, const sigset_t *mask, int flags) = signalfd4(file, mask, _NSIG / 8, flags)
#include <sys/inotify.h>
int inotify_add_watch(int file, const char *path, uint32_t mask) = inotify_add_watch(file, path, mask)
#include <sys/mman.h> <sys/types.h>
int mincore(void *address, size_t size, unsigned char *to) = mincore(address, size, to)
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) = MMAP(address, size, protection, flags, file)
void *mmap64(void *address, size_t size, int protection, int flags, int file, off64_t offset) = MMAP(address, size, protection, flags, file)
void *mremap(void *old, size_t size, size_t new, int flags, ..., void *address) = mremap(old, size, new, flags, address)
int mprotect(void *address, size_t size, int protection) = mprotect(address, size, protection)
int munmap(void *address, size_t size) = munmap(address, size)
#include <unistd.h>
long syscall(long number, ..., long a, long b, long c, long d, long e, long f) = *(a, b, c, d, e, f)
"""
