/* Have the server fork a process that does what this one would do, and end as that ends.

   It is `python` and, under their own names and as links, the commands of the directory
   REAL_COMMANDS; what it cannot hand over it starts itself. The message is its open descriptors and the directory's, then a length and
   strings that end with 0: facts of the process, the descriptors' numbers, the name it was started
   by, how many arguments, the arguments, the environment. The answers are the process's id, or 0,
   and its wait status. */

#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile pid_t worker;
enum { ROOM = 16 };

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void really_start(char **argv, const char *self)
{
    char script[4096];
    if (!strcmp(base(self), "python")) {
        argv[0] = (char *)REAL_PYTHON;
        execv(REAL_PYTHON, argv);
    }
    snprintf(script, sizeof script, "%s/%s", REAL_COMMANDS, base(self));
    if (access(script, X_OK)) { /* a link to inst-cc: the script has to have the link's name */
        snprintf(script, sizeof script, "%s/inst-cc", REAL_COMMANDS);
        int count = 0;
        while (argv[count])
            count++;
        char **words = calloc(count + 6, sizeof *words);
        words[0] = (char *)REAL_PYTHON;
        words[1] = (char *)"-c";
        words[2] = (char *)"import sys; script, *sys.argv = sys.argv[1:]; exec(open(script).read())";
        words[3] = script;
        words[4] = (char *)self;
        memcpy(words + 5, argv + 1, (count - 1) * sizeof *words);
        execv(REAL_PYTHON, words);
    }
    argv[0] = (char *)self;
    execv(script, argv);
    perror(script);
    _exit(127);
}

/* Find what another program would be handed: standard streams and whatever else is open.
   Return how many, or 0 if a stream is missing, or others are too many. */
static int find_descriptors(int *found, int room)
{
    int count = 0;
    for (; count < 3; count++) {
        found[count] = count;
        if (fcntl(count, F_GETFD) < 0)
            return 0;
    }
    DIR *listed = opendir("/proc/self/fd");
    struct dirent *entry;
    while (listed && (entry = readdir(listed))) {
        int fd = atoi(entry->d_name);
        if (fd < 3 || fd == dirfd(listed) || fcntl(fd, F_GETFD) & FD_CLOEXEC)
            continue;
        if (count == room) {
            closedir(listed);
            return 0;
        }
        found[count++] = fd;
    }
    if (listed)
        closedir(listed);
    return count;
}

/* The identity of a file, or 0: of a namespace of the kernel's, of the root directory. */
static void write_identity(FILE *out, const char *path)
{
    struct stat found = {0};
    stat(path, &found);
    fprintf(out, " %llu %llu", (unsigned long long)found.st_dev, (unsigned long long)found.st_ino);
}

/* What a process has from its parent: the server has to have the same. */
static void write_facts(FILE *out)
{
    struct sigaction action;
    sigset_t blocked;
    mode_t mask = umask(0);
    umask(mask);
    fprintf(out, "%d %d %d %d %d %d %d %d", getsid(0), getuid(), geteuid(), getgid(), getegid(),
            (int)mask, getpriority(PRIO_PROCESS, 0), personality(~0u));
    const char *places[] = {"/", "/proc/self/ns/mnt", "/proc/self/ns/pid", "/proc/self/ns/net",
                            "/proc/self/ns/user"};
    for (size_t n = 0; n < sizeof places / sizeof *places; n++)
        write_identity(out, places[n]);
    for (int kind = 0; kind < RLIM_NLIMITS; kind++) {
        struct rlimit limit;
        if (kind == RLIMIT_STACK) /* gcc raises it for its tools */
            continue;
        getrlimit(kind, &limit);
        fprintf(out, " %lld %lld", (long long)limit.rlim_cur, (long long)limit.rlim_max);
    }
    const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD};
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (size_t n = 0; n < sizeof signals / sizeof *signals; n++) {
        sigaction(signals[n], NULL, &action);
        fprintf(out, " %d", action.sa_handler == SIG_IGN || sigismember(&blocked, signals[n]));
    }
    fputc(0, out);
}

/* inst-cc asks whether ccache runs it, by its parent: a forked one has the server as its parent. */
static int is_run_by_ccache(void)
{
    char link[64], parent[4096];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)getppid());
    ssize_t length = readlink(link, parent, sizeof parent - 1);
    parent[length < 0 ? 0 : length] = 0;
    return !strncmp(base(parent), "ccache", strlen("ccache"));
}

static int connected(const char *directory)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    return -1;
}

static int send_all(int to, char *text, uint32_t size, const int *open_ones, int count)
{
    int directory = open(".", O_PATH | O_CLOEXEC);
    int fds[ROOM + 1];
    union { char room[CMSG_SPACE(sizeof fds)]; struct cmsghdr aligned; } control = {0};
    size_t length = (count + 1) * sizeof *fds;
    memcpy(fds, open_ones, count * sizeof *fds);
    fds[count] = directory;
    struct iovec part = {&size, sizeof size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1,
                             .msg_control = control.room, .msg_controllen = CMSG_SPACE(length)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(length);
    memcpy(CMSG_DATA(head), fds, length);
    if (directory < 0 || sendmsg(to, &message, MSG_NOSIGNAL) != sizeof size)
        return 0;
    for (uint32_t sent = 0; sent < size;) {
        ssize_t more = send(to, text + sent, size - sent, MSG_NOSIGNAL);
        if (more <= 0)
            return 0;
        sent += more;
    }
    return 1;
}

static int receive(int from, int32_t *value)
{
    ssize_t got;
    do
        got = recv(from, value, sizeof *value, MSG_WAITALL);
    while (got < 0);
    return got == sizeof *value;
}

static void pass_on(int number)
{
    if (worker > 0)
        kill(worker, number);
}

static void end_as(int status)
{
    if (!WIFSIGNALED(status))
        _exit(WEXITSTATUS(status));
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

int main(int argc, char **argv)
{
    const char *self = (const char *)getauxval(AT_EXECFN);
    const char *directory = getenv("INST_SERVER");
    char *text = NULL;
    size_t size = 0;
    int32_t id, status;
    int open_ones[ROOM];
    int can_be_forked = directory && *directory && !is_run_by_ccache();
    int count = can_be_forked ? find_descriptors(open_ones, ROOM) : 0;
    int server = count ? connected(directory) : -1;
    if (server < 0)
        really_start(argv, self);
    FILE *out = open_memstream(&text, &size);
    write_facts(out);
    for (int n = 0; n < count; n++)
        fprintf(out, "%d ", open_ones[n]);
    fprintf(out, "%c%s%c%d%c", 0, self, 0, argc - 1, 0);
    for (int n = 1; n < argc; n++)
        fprintf(out, "%s%c", argv[n], 0);
    for (char **one = environ; *one; one++)
        fprintf(out, "%s%c", *one, 0);
    fclose(out);
    if (!send_all(server, text, size, open_ones, count) || !receive(server, &id) || !id)
        really_start(argv, self);
    worker = id;
    const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    for (size_t n = 0; n < sizeof passed / sizeof *passed; n++)
        signal(passed[n], pass_on);
    if (!receive(server, &status)) {
        fprintf(stderr, "%s: the server of inst has ended\n", self);
        _exit(125);
    }
    end_as(status);
}
