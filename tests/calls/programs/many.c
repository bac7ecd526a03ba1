/* Make many system calls; say of each what the kernel's manual says it reads and writes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/statfs.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

static char buffer[256], other[256], name[] = "file", second[] = "second";
static char directory[] = "directory", missing[] = "missing/file";

int main(int count, char **words)
{
    struct stat status;
    struct iovec vectors[2] = { { buffer, 3 }, { other, 4 } };
    struct timespec spec = { 0, 1000 }, left;
    struct timeval value, timeout = { 0, 0 };
    struct utsname names;
    struct rlimit limit;
    struct rusage usage;
    struct tms spent;
    struct itimerval timer, no_timer = { { 0, 0 }, { 0, 0 } };
    struct sysinfo information;
    struct pollfd polled[1];
    struct epoll_event event = { EPOLLIN, { 0 } }, events[4];
    struct sockaddr_un address = { AF_UNIX, "socket" }, peer;
    struct flock lock = { F_WRLCK, SEEK_SET, 0, 1 };
    struct winsize window;
    socklen_t length = sizeof peer, size = sizeof(int);
    sigset_t set;
    fd_set in;
    int ends[2], pair[2], status_word, number, file, ok = 1;
    time_t now;
    unsigned processor, node;

    sigemptyset(&set);
    CALL(mkdir(directory, 0700), "r", S(directory));
    CALL(chdir(directory), "r", S(directory));
    CALL(file = open(name, O_RDWR | O_CREAT, 0600), "r", S(name));
    CALL(write(file, "0123456789", 10), "r", P("0123456789"), 10ul);
    CALL(lseek(file, 0, SEEK_SET), "");
    CALL(read(file, buffer, 4), "w", P(buffer), 4ul);
    CALL(read(file, buffer, 100), "w", P(buffer), 6ul);
    CALL(read(file, buffer, 100), "");
    CALL(read(-1, buffer, 100), "");
    CALL(pread(file, buffer, 5, 3), "w", P(buffer), 5ul);
    CALL(pwrite(file, buffer, 2, 3), "r", P(buffer), 2ul);
    CALL(lseek(file, 0, SEEK_SET), "");
    CALL(readv(file, vectors, 2), "rww", V(vectors), P(buffer), 3ul, P(other), 4ul);
    CALL(readv(file, vectors, 2), "rw", V(vectors), P(buffer), 3ul);
    CALL(writev(file, vectors, 2), "rrr", V(vectors), P(buffer), 3ul, P(other), 4ul);
    CALL(open(missing, O_RDONLY), "r", S(missing));
    CALL(open((char *)1, O_RDONLY), "");
    CALL(access(name, R_OK), "r", S(name));
    CALL(chmod(name, 0640), "r", S(name));
    CALL(fchmod(file, 0600), "");
    CALL(stat(name, &status), "rw", S(name), V(status));
    CALL(lstat(name, &status), "rw", S(name), V(status));
    CALL(fstat(file, &status), "w", V(status));
    CALL(stat(missing, &status), "r", S(missing));
    CALL(link(name, second), "rr", S(name), S(second));
    CALL(rename(second, "third"), "rr", S(second), P("third"), 6ul);
    CALL(unlink("third"), "r", P("third"), 6ul);
    CALL(symlink(name, second), "rr", S(name), S(second));
    CALL(readlink(second, buffer, 100), "rw", S(second), P(buffer), 4ul);
    CALL(unlinkat(AT_FDCWD, second, 0), "r", S(second));
    CALL(truncate(name, 20), "r", S(name));
    CALL(ftruncate(file, 10), "");
    CALL(getcwd(buffer, 200), "w", P(buffer), size_of(buffer));
    CALL(fcntl(file, F_SETLK, &lock), "r", V(lock));
    CALL(fcntl(file, F_GETFL), "");
    CALL(umask(022), "");
    CALL(pipe(ends), "w", V(ends));
    CALL(dup2(ends[1], 50), "");
    CALL(close(50), "");
    CALL(ioctl(ends[0], FIONREAD, &number), "w", V(number));
    CALL(ioctl(ends[0], TIOCGWINSZ, &window), "");
    polled[0] = (struct pollfd){ ends[0], POLLIN, 0 };
    CALL(poll(polled, 1, 0), "rw", V(polled), V(polled));
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    CALL(select(ends[0] + 1, &in, 0, 0, &timeout), "rrww", P(&in), (unsigned long)sizeof(long),
         V(timeout), P(&in), (unsigned long)sizeof(long), V(timeout));
    int watch;
    CALL(watch = epoll_create1(0), "");
    CALL(epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &event), "r", V(event));
    CALL(epoll_wait(watch, events, 4, 0), "");
    CALL(write(ends[1], "x", 1), "r", P("x"), 1ul);
    CALL(epoll_wait(watch, events, 4, 0), "w", P(events), (unsigned long)sizeof *events);
    CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "w", V(pair));
    CALL(send(pair[0], "hello", 5, 0), "r", P("hello"), 5ul);
    CALL(recv(pair[1], buffer, 100, 0), "w", P(buffer), 5ul);
    /* The SPARC emulator's own record does not survive the next one. */
    CALL(count > 1 ? 0 : sendto(pair[0], "hello", 3, 0, 0, 0), "r", P("hello"), 3ul);
    CALL(count > 1 ? 0 : recvfrom(pair[1], buffer, 2, 0, 0, 0), "w", P(buffer), 2ul);
    CALL(shutdown(pair[0], SHUT_WR), "");
    CALL(number = socket(AF_UNIX, SOCK_STREAM, 0), "");
    CALL(bind(number, (void *)&address, sizeof address), "r", V(address));
    CALL(listen(number, 1), "");
    CALL(getsockname(number, (void *)&peer, &length), "rww", V(length), P(&peer),
         (unsigned long)length, V(length));
    CALL(setsockopt(number, SOL_SOCKET, SO_KEEPALIVE, &ok, sizeof ok), "r", V(ok));
    CALL(getsockopt(number, SOL_SOCKET, SO_TYPE, &ok, &size), "rww", V(size), V(ok), V(size));
    CALL(connect(pair[0], (void *)&address, 2), "r", P(&address), 2ul);
    CALL(nanosleep(&spec, &left), "r", V(spec));
    CALL(gettimeofday(&value, 0), "w", V(value));
    CALL(clock_gettime(CLOCK_MONOTONIC, &spec), "w", V(spec));
    CALL(clock_getres(CLOCK_MONOTONIC, &spec), "w", V(spec));
    CALL(time(&now), "w", V(now));
    CALL(uname(&names), "w", V(names));
    CALL(getrlimit(RLIMIT_NOFILE, &limit), "w", V(limit));
    CALL(getrusage(RUSAGE_SELF, &usage), "w", V(usage));
    CALL(times(&spent), "w", V(spent));
    CALL(setitimer(ITIMER_REAL, &no_timer, &timer), "rw", V(no_timer), V(timer));
    CALL(getitimer(ITIMER_REAL, &timer), "w", V(timer));
    CALL(sysinfo(&information), "w", V(information));
    CALL(getrandom(buffer, 16, 0), "w", P(buffer), 16ul);
    CALL(getpid(), "");
    CALL(getuid(), "");
    CALL(wait4(-1, &status_word, WNOHANG, 0), "");
    CALL(syscall(SYS_getcpu, &processor, &node, 0), "ww", V(processor), V(node));
    CALL(syscall(SYS_rt_sigpending, &set, 8), "w", P(&set), 8ul);
    CALL(syscall(SYS_sched_getaffinity, 0, 128, buffer), "w", P(buffer), (unsigned long)result);
    CALL(syscall(SYS_set_tid_address, &number), "");
    CALL(syscall(1999, 1, 2, 3), "");
    CALL(fsync(file), "");
    CALL(close(file), "");
    CALL(unlink(name), "r", S(name));
    CALL(unlink("socket"), "r", P("socket"), 7ul);
    CALL(chdir(".."), "r", P(".."), 3ul);
    CALL(rmdir(directory), "r", S(directory));
    write(1, lines, at - lines);
    return 0;
}
