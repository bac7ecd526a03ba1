/* More functions that every.c calls: attributes, entries of databases, and what is less common. */
#define _GNU_SOURCE
#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <link.h>
#include <locale.h>
#include <mntent.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netdb.h>
#include <pthread.h>
#include <pty.h>
#include <pwd.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

#include "saying.h"

extern wint_t getwc_(FILE *) __asm__("getwc");
extern wint_t getwchar_(void) __asm__("getwchar");
extern wint_t putwc_(wchar_t, FILE *) __asm__("putwc");
extern wint_t putwchar_(wchar_t) __asm__("putwchar");
extern wint_t getwc_unlocked_(FILE *) __asm__("getwc_unlocked");
extern wint_t putwc_unlocked_(wchar_t, FILE *) __asm__("putwc_unlocked");
extern char *mktemp_(char *) __asm__("mktemp");
extern char *tempnam_(const char *, const char *) __asm__("tempnam");
extern char *tmpnam_r_(char *) __asm__("tmpnam_r");
extern char *getwd_(char *) __asm__("getwd");
extern long double strtold_l_(const char *, char **, locale_t) __asm__("strtold_l");
extern long double wcstold_(const wchar_t *, wchar_t **) __asm__("wcstold");

static char to[512], from[] = "the quick brown fox";
static wchar_t wide[64];
static volatile int zero;

static size_t n(size_t value)
{
    return value + zero;
}

/* A call that returns a value in `got`, which had another one before. */
#define GOT(TYPE, FIRST, CALL) do { TYPE got = FIRST; long r = (CALL); \
    SAY(#CALL, "%ld %ld", r, (long)got); } while (0)

static void of_threads(void)
{
    pthread_attr_t thread;
    struct sched_param priority = { 0 };
    cpu_set_t processors;
    void *base = NULL;
    size_t size = 0;
    static char stack[1 << 17] __attribute__((aligned(4096)));
    NUMBER(pthread_attr_init(&thread));
    NUMBER(pthread_attr_setdetachstate(&thread, PTHREAD_CREATE_JOINABLE));
    GOT(int, 77, pthread_attr_getdetachstate(&thread, &got));
    NUMBER(pthread_attr_setguardsize(&thread, n(8192)));
    GOT(size_t, 77, pthread_attr_getguardsize(&thread, &got));
    NUMBER(pthread_attr_setinheritsched(&thread, PTHREAD_EXPLICIT_SCHED));
    GOT(int, 77, pthread_attr_getinheritsched(&thread, &got));
    NUMBER(pthread_attr_setschedpolicy(&thread, SCHED_OTHER));
    GOT(int, 77, pthread_attr_getschedpolicy(&thread, &got));
    NUMBER(pthread_attr_setschedparam(&thread, &priority));
    NUMBER(pthread_attr_getschedparam(&thread, &priority));
    NUMBER(priority.sched_priority);
    NUMBER(pthread_attr_setscope(&thread, PTHREAD_SCOPE_SYSTEM));
    GOT(int, 77, pthread_attr_getscope(&thread, &got));
    NUMBER(pthread_attr_setstacksize(&thread, n(1 << 18)));
    GOT(size_t, 77, pthread_attr_getstacksize(&thread, &got));
    NUMBER(pthread_attr_setstack(&thread, stack, n(sizeof stack)));
    NUMBER(pthread_attr_getstack(&thread, &base, &size));
    NUMBER(base == stack && size == sizeof stack);
    NUMBER(sched_getaffinity(0, sizeof processors, &processors) > 0);
    NUMBER(pthread_attr_setaffinity_np(&thread, sizeof processors, &processors));
    CPU_ZERO(&processors);
    NUMBER(pthread_attr_getaffinity_np(&thread, sizeof processors, &processors));
    NUMBER(CPU_COUNT(&processors) > 0);
    NUMBER(pthread_attr_destroy(&thread));
    GOT(int, 77, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &got));
    GOT(int, 77, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &got));
    GOT(int, 77, pthread_getschedparam(pthread_self(), &got, &priority));
    NUMBER(priority.sched_priority);
    NUMBER(pthread_setschedparam(pthread_self(), SCHED_OTHER, &priority));
    CPU_ZERO(&processors);
    NUMBER(pthread_getaffinity_np(pthread_self(), sizeof processors, &processors));
    NUMBER(pthread_setaffinity_np(pthread_self(), sizeof processors, &processors));
    NUMBER(CPU_COUNT(&processors) > 0);
    NUMBER(pthread_setname_np(pthread_self(), "further"));
    BUFFER(pthread_getname_np(pthread_self(), to, n(16)));
    clockid_t clock = 77;
    NUMBER(pthread_getcpuclockid(pthread_self(), &clock));
    NUMBER(clock == 77);
    NUMBER(pthread_getattr_np(pthread_self(), &thread) == 0);
    NUMBER(pthread_attr_destroy(&thread));
    NUMBER(pthread_getattr_default_np(&thread));
    NUMBER(pthread_attr_destroy(&thread));
}

static void of_locks(void)
{
    pthread_mutexattr_t mutex_attributes;
    pthread_condattr_t condition_attributes;
    pthread_rwlockattr_t shared_attributes;
    pthread_barrierattr_t barrier_attributes;
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_rwlock_t shared;
    pthread_barrier_t barrier;
    pthread_spinlock_t spinning;
    pthread_key_t key;
    sem_t semaphore;
    mtx_t plain;
    cnd_t waited;
    tss_t local;
    NUMBER(pthread_mutexattr_init(&mutex_attributes));
    NUMBER(pthread_mutexattr_settype(&mutex_attributes, PTHREAD_MUTEX_RECURSIVE));
    GOT(int, 77, pthread_mutexattr_gettype(&mutex_attributes, &got));
    NUMBER(pthread_mutexattr_setrobust(&mutex_attributes, PTHREAD_MUTEX_ROBUST));
    GOT(int, 77, pthread_mutexattr_getrobust(&mutex_attributes, &got));
    NUMBER(pthread_mutexattr_setrobust(&mutex_attributes, PTHREAD_MUTEX_STALLED));
    NUMBER(pthread_mutexattr_setpshared(&mutex_attributes, PTHREAD_PROCESS_PRIVATE));
    GOT(int, 77, pthread_mutexattr_getpshared(&mutex_attributes, &got));
    NUMBER(pthread_mutexattr_setprotocol(&mutex_attributes, PTHREAD_PRIO_NONE));
    GOT(int, 77, pthread_mutexattr_getprotocol(&mutex_attributes, &got));
    NUMBER(pthread_mutexattr_setprioceiling(&mutex_attributes, 1));
    GOT(int, 77, pthread_mutexattr_getprioceiling(&mutex_attributes, &got));
    NUMBER(pthread_mutex_init(&mutex, &mutex_attributes));
    GOT(int, 77, pthread_mutex_getprioceiling(&mutex, &got));
    NUMBER(pthread_mutexattr_destroy(&mutex_attributes));
    NUMBER(pthread_mutex_destroy(&mutex));
    NUMBER(pthread_condattr_init(&condition_attributes));
    NUMBER(pthread_condattr_setclock(&condition_attributes, CLOCK_MONOTONIC));
    GOT(clockid_t, 77, pthread_condattr_getclock(&condition_attributes, &got));
    NUMBER(pthread_condattr_setpshared(&condition_attributes, PTHREAD_PROCESS_PRIVATE));
    GOT(int, 77, pthread_condattr_getpshared(&condition_attributes, &got));
    NUMBER(pthread_cond_init(&condition, &condition_attributes));
    NUMBER(pthread_condattr_destroy(&condition_attributes));
    NUMBER(pthread_rwlockattr_init(&shared_attributes));
    NUMBER(pthread_rwlockattr_setkind_np(&shared_attributes, PTHREAD_RWLOCK_PREFER_WRITER_NP));
    GOT(int, 77, pthread_rwlockattr_getkind_np(&shared_attributes, &got));
    NUMBER(pthread_rwlockattr_setpshared(&shared_attributes, PTHREAD_PROCESS_PRIVATE));
    GOT(int, 77, pthread_rwlockattr_getpshared(&shared_attributes, &got));
    NUMBER(pthread_rwlock_init(&shared, &shared_attributes));
    NUMBER(pthread_rwlockattr_destroy(&shared_attributes));
    NUMBER(pthread_barrierattr_init(&barrier_attributes));
    NUMBER(pthread_barrierattr_setpshared(&barrier_attributes, PTHREAD_PROCESS_PRIVATE));
    GOT(int, 77, pthread_barrierattr_getpshared(&barrier_attributes, &got));
    NUMBER(pthread_barrier_init(&barrier, &barrier_attributes, 2));
    NUMBER(pthread_barrierattr_destroy(&barrier_attributes));
    NUMBER(pthread_spin_init(&spinning, PTHREAD_PROCESS_PRIVATE));
    key = 77;
    NUMBER(pthread_key_create(&key, NULL));
    NUMBER(pthread_setspecific(key, from));
    NUMBER(pthread_getspecific(key) == from);
    NUMBER(sem_init(&semaphore, 0, 3));
    NUMBER(mtx_init(&plain, mtx_plain));
    NUMBER(cnd_init(&waited));
    local = 77;
    NUMBER(tss_create(&local, NULL));
    NUMBER(tss_set(local, from));
    NUMBER(tss_get(local) == from);
}

static void of_processes(void)
{
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    sigset_t one, other, both;
    siginfo_t waited;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigemptyset(&other);
    sigaddset(&other, SIGUSR2);
    NUMBER(sigorset(&both, &one, &other));
    NUMBER(sigismember(&both, SIGUSR1) * 2 + sigismember(&both, SIGUSR2));
    NUMBER(sigandset(&both, &both, &other));
    NUMBER(sigismember(&both, SIGUSR1) * 2 + sigismember(&both, SIGUSR2));
    NUMBER(posix_spawnattr_init(&how));
    NUMBER(posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK));
    GOT(short, 77, posix_spawnattr_getflags(&how, &got));
    NUMBER(posix_spawnattr_setpgroup(&how, 5));
    GOT(pid_t, 77, posix_spawnattr_getpgroup(&how, &got));
    NUMBER(posix_spawnattr_setsigmask(&how, &one));
    NUMBER(posix_spawnattr_getsigmask(&how, &both));
    NUMBER(sigismember(&both, SIGUSR1) * 2 + sigismember(&both, SIGUSR2));
    NUMBER(posix_spawnattr_setsigdefault(&how, &other));
    NUMBER(posix_spawnattr_getsigdefault(&how, &both));
    NUMBER(sigismember(&both, SIGUSR1) * 2 + sigismember(&both, SIGUSR2));
    NUMBER(posix_spawn_file_actions_init(&files));
    NUMBER(posix_spawn_file_actions_addopen(&files, 7, "/dev/null", O_RDONLY, 0));
    NUMBER(posix_spawn_file_actions_adddup2(&files, 7, 8));
    NUMBER(posix_spawn_file_actions_addclose(&files, 7));
    NUMBER(posix_spawn_file_actions_destroy(&files));
    struct timespec interval = { 7, 7 };
    NUMBER(sched_rr_get_interval(0, &interval));
    NUMBER(interval.tv_sec);
    unsigned processor = 7777, node = 7777;
    NUMBER(getcpu(&processor, &node));
    NUMBER(processor < 7777 && node < 7777);
}

static void entries(void)
{
    struct passwd user, *found = NULL;
    struct group group, *group_found = NULL;
    gid_t groups[64];
    int count = 64;
    FILE *file;
    NUMBER(getpwnam_r("root", &user, to, n(sizeof to), &found));
    SAY("user", "%s %d %s", found->pw_name, (int)found->pw_uid, user.pw_dir);
    NUMBER(getpwuid_r(0, &user, to, n(sizeof to), &found));
    SAY("user", "%s %d %s", found->pw_name, (int)found->pw_uid, user.pw_dir);
    NUMBER(getpwnam_r("nobody at all", &user, to, n(sizeof to), &found));
    NUMBER(found == NULL);
    for (int step = 0; step < 2; step++)
        TEXT(getpwent()->pw_name);
    NUMBER(getpwent_r(&user, to, n(sizeof to), &found));
    TEXT(found->pw_name);
    endpwent();
    file = fopen("every.users", "w+");
    fputs("one:x:1:2:First:/home/one:/bin/sh\ntwo:x:3:4:Second:/home/two:/bin/sh\n", file);
    rewind(file);
    for (int step = 0; step < 2; step++)
        TEXT(fgetpwent(file)->pw_gecos);
    fclose(file);
    unlink("every.users");
    NUMBER(getgrnam_r("root", &group, to, n(sizeof to), &group_found));
    SAY("group", "%s %d", group_found->gr_name, (int)group.gr_gid);
    NUMBER(getgrgid_r(0, &group, to, n(sizeof to), &group_found));
    SAY("group", "%s %d", group_found->gr_name, (int)group.gr_gid);
    for (int step = 0; step < 2; step++)
        TEXT(getgrent()->gr_name);
    endgrent();
    NUMBER(getgrouplist("root", 0, groups, &count) == count);
    NUMBER(groups[0]);
    for (int step = 0; step < 2; step++) {
        struct servent *service = step ? getservbyname("domain", "tcp") : getservbyport(htons(25), "tcp");
        SAY("service", "%s %d", service ? service->s_name : "none", service ? ntohs(service->s_port) : 0);
    }
    for (int step = 0; step < 2; step++) {
        struct protoent *protocol = step ? getprotobyname("udp") : getprotobynumber(6);
        SAY("protocol", "%s %d", protocol ? protocol->p_name : "none", protocol ? protocol->p_proto : 0);
    }
    struct in_addr address;
    inet_pton(AF_INET, "127.0.0.1", &address);
    for (int step = 0; step < 3; step++) {
        struct hostent *host = step == 0 ? gethostbyname("127.0.0.1")
            : step == 1 ? gethostbyname2("127.0.0.2", AF_INET)
            : gethostbyaddr(&address, sizeof address, AF_INET);
        SAY("host", "%s %d", host ? host->h_name : "none", host ? host->h_addr_list[0][3] : 0);
    }
    struct sockaddr_in socket_address = { .sin_family = AF_INET, .sin_port = htons(77), .sin_addr = address };
    NUMBER(getnameinfo((struct sockaddr *)&socket_address, sizeof socket_address, to, n(60), to + 100, n(60),
                       NI_NUMERICHOST | NI_NUMERICSERV));
    SAY("name", "%s %s", to, to + 100);
    unsigned loop = if_nametoindex("lo");
    BUFFER(!if_indextoname(loop, to));
    file = fopen("every.mounts", "w");
    fputs("/dev/one /first ext4 rw,noatime 0 1\n/dev/two /second ext2 ro 0 2\n/dev/three /third xfs rw 0 0\n", file);
    fclose(file);
    file = setmntent("every.mounts", "r");
    for (int step = 0; step < 2; step++) {
        struct mntent *mount = getmntent(file);
        SAY("mount", "%s %s %d", mount->mnt_dir, mount->mnt_opts, mount->mnt_passno);
        NUMBER(hasmntopt(mount, "noatime") == NULL);
    }
    struct mntent mount;
    TEXT(getmntent_r(file, &mount, to, n(sizeof to))->mnt_type);
    endmntent(file);
    unlink("every.mounts");
}

static void texts(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);
    char *end = NULL, options[] = "size=5,quick,other=x";
    wchar_t *wide_end;
    char *const names[] = { "quick", "size", NULL };
    char *rest = options, *value = NULL;
    TEXT(strerror_l(ENOENT, plain));
    NUMBER(strcoll_l(from, "the", plain) > 0);
    BUFFER(strxfrm_l(to, from, n(30), plain));
    NUMBER(strcasecmp_l(from, "THE QUICK BROWN FOX", plain));
    NUMBER(strncasecmp_l(from, "THE", n(3), plain));
    NUMBER(strtol_l("12x", &end, 10, plain));
    TEXT(end);
    NUMBER(strtoul_l("34y", &end, 10, plain));
    TEXT(end);
    NUMBER(strtoll_l("56z", &end, 10, plain));
    TEXT(end);
    NUMBER(strtoull_l("78a", &end, 10, plain));
    TEXT(end);
    NUMBER(10 * strtod_l("1.5b", &end, plain));
    TEXT(end);
    NUMBER(10 * strtof_l("2.5c", &end, plain));
    TEXT(end);
    NUMBER(10 * strtold_l_("3.5d", &end, plain));
    TEXT(end);
    NUMBER(10 * wcstold_(L"4.5e", &wide_end));
    SAY("end", "%ls", wide_end);
    for (int step = 0; step < 3; step++) {
        NUMBER(getsubopt(&rest, names, &value));
        SAY("option", "%s %s", value ? value : "none", rest);
    }
    TEXT(options);
    BUFFER(!gcvt(1.25, 5, to));
    int point = 77, sign = 77;
    BUFFER(ecvt_r(-123.456, 5, &point, &sign, to, n(60)));
    NUMBER(point * 10 + sign);
    BUFFER(fcvt_r(-3.456, 2, &point, &sign, to, n(60)));
    NUMBER(point * 10 + sign);
    struct tm when = { .tm_year = 100, .tm_mon = 1, .tm_mday = 3 };
    BUFFER(strftime_l(to, n(60), "%Y-%m-%d", &when, plain));
    freelocale(plain);
    mbstate_t state;
    char16_t half = 7;
    char32_t whole = 7;
    memset(&state, 0, sizeof state);
    NUMBER(mbrtoc16(&half, from, n(3), &state));
    NUMBER(half);
    NUMBER(mbrtoc32(&whole, from + 1, n(3), &state));
    NUMBER(whole);
    BUFFER(c16rtomb(to, u'a', &state));
    BUFFER(c32rtomb(to, U'b', &state));
    iconv_t how = iconv_open("UCS-4BE", "UTF-8");
    char *input = from, *output = to;
    size_t left = 9, room = 60;
    memset(to, 'z', 60);
    NUMBER(iconv(how, &input, &left, &output, &room) == (size_t)-1);
    SAY("iconv", "%d %d %d %d %c%c", (int)(input - from), (int)(output - to), (int)left, (int)room, to[3], to[7]);
    NUMBER(iconv(how, NULL, NULL, NULL, NULL) == (size_t)-1);
    if (how != (iconv_t)-1)
        iconv_close(how);
    wordexp_t words;
    if (!wordexp("one two$((1 + 2)) 'three four'", &words, WRDE_NOCMD)) {
        for (size_t step = 0; step < words.we_wordc; step++)
            TEXT(words.we_wordv[step]);
        wordfree(&words);
    }
}

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static int sum(void)
{
    int result = 0;
    for (int step = 0; step < 60; step++)
        result += (unsigned char)to[step];
    return result;
}

static void by_chance(void)
{
    static char buffer[64], *before;
    static int32_t own[16];
    struct random_data state = { 0 };
    struct drand48_data other = { 0 };
    unsigned short seed[3] = { 1, 2, 3 }, *old;
    int32_t number = 77;
    long large = 77;
    double real = 77;
    before = initstate(5, (char *)own, n(sizeof own));
    NUMBER(own[0]);
    NUMBER(random());
    NUMBER(setstate(before) == (char *)own);
    NUMBER(own[0]);
    NUMBER(setstate((char *)own) == before);
    NUMBER(random());
    NUMBER(initstate_r(5, buffer, n(sizeof buffer), &state));
    NUMBER(setstate_r(buffer, &state));
    NUMBER(srandom_r(6, &state));
    NUMBER(random_r(&state, &number));
    NUMBER(number);
    NUMBER(random_r(&state, &number));
    NUMBER(number);
    NUMBER(srand48_r(7, &other));
    NUMBER(drand48_r(&other, &real));
    NUMBER(real * 1e6);
    NUMBER(lrand48_r(&other, &large));
    NUMBER(large);
    NUMBER(mrand48_r(&other, &large));
    NUMBER(large);
    NUMBER(erand48_r(seed, &other, &real));
    NUMBER(real * 1e6 + seed[0]);
    NUMBER(nrand48_r(seed, &other, &large));
    NUMBER(large + seed[1]);
    NUMBER(jrand48_r(seed, &other, &large));
    NUMBER(large + seed[2]);
    old = seed48(seed);
    NUMBER(old[0]);
    old = seed48(seed);
    NUMBER(old[0] == seed[0]);
    memset(to, 0, 60);
    arc4random_buf(to, n(60));
    NUMBER(sum() > 0);
    memset(to, 0, 60);
    NUMBER(getentropy(to, n(60)));
    NUMBER(sum() > 0);
    int numbers[] = { 5, 6, 7 }, wanted = 6;
    size_t count = 3;
    NUMBER((int *)lfind(&wanted, numbers, &count, sizeof wanted, compare) - numbers);
    struct element {
        struct element *next, *previous;
    } elements[3] = { { 0 } };
    insque(&elements[0], NULL);
    insque(&elements[2], &elements[0]);
    insque(&elements[1], &elements[0]);
    NUMBER(elements[0].next - elements);
    NUMBER(elements[2].previous - elements);
    remque(&elements[1]);
    NUMBER(elements[0].next - elements);
    NUMBER(elements[2].previous - elements);
}

static int of_image(struct dl_phdr_info *image, size_t size, void *data)
{
    *(int *)data += image->dlpi_phnum > 0;
    return 0;
}

static int small(const char *path, const struct stat *state, int kind)
{
    SAY("ftw", "%s %d %d", path, kind, S_ISDIR(state->st_mode));
    return 0;
}

static int small64(const char *path, const struct stat64 *state, int kind)
{
    SAY("ftw64", "%s %d %d", path, kind, S_ISDIR(state->st_mode));
    return 0;
}

static int large(const char *path, const struct stat *state, int kind, struct FTW *place)
{
    SAY("nftw", "%s %d %d %d", path, kind, S_ISDIR(state->st_mode), place->level);
    return 0;
}

static int large64(const char *path, const struct stat64 *state, int kind, struct FTW *place)
{
    SAY("nftw64", "%s %d %d %d", path, kind, S_ISDIR(state->st_mode), place->level);
    return 0;
}

static void files(void)
{
    char name[] = "every.tree", *const names[] = { name, NULL };
    mkdir("every.tree", 0700);
    int file = open("every.tree/file", O_RDWR | O_CREAT | O_TRUNC, 0600), other;
    NUMBER(write(file, "some text in a file", n(19)));
    NUMBER(ftw("every.tree", small, 4));
    NUMBER(ftw64("every.tree", small64, 4));
    NUMBER(nftw("every.tree", large, 4, FTW_PHYS));
    NUMBER(nftw64("every.tree", large64, 4, FTW_PHYS | FTW_DEPTH));
    FTS *tree = fts_open(names, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *one; tree && (one = fts_read(tree));)
        SAY("fts", "%s %d %d %d", one->fts_path, one->fts_info, one->fts_level, S_ISREG(one->fts_statp->st_mode));
    if (tree)
        fts_close(tree);
    FTS64 *large_tree = fts64_open(names, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT64 *one; large_tree && (one = fts64_read(large_tree));)
        SAY("fts64", "%s %d %d %d", one->fts_path, one->fts_info, one->fts_level, S_ISREG(one->fts_statp->st_mode));
    if (large_tree)
        fts64_close(large_tree);
    off64_t in = 1, out = 30;
    NUMBER(copy_file_range(file, &in, file, &out, n(5), 0));
    SAY("places", "%d %d", (int)in, (int)out);
    int ends[2];
    pipe(ends);
    in = 2;
    NUMBER(splice(file, &in, ends[1], NULL, n(4), 0));
    NUMBER(in);
    BUFFER(read(ends[0], to, n(4)));
    struct iovec parts[] = { { to, 3 }, { to + 10, 4 } };
    lseek(file, 0, SEEK_SET);
    NUMBER(pwritev2(file, parts, 2, 40, 0));
    NUMBER(pwritev64v2(file, parts, 2, 47, 0));
    BUFFER(preadv2(file, parts, 2, 5, 0));
    BUFFER(preadv64v2(file, parts, 2, 6, 0));
    NUMBER(setxattr("every.tree/file", "user.one", "first", n(5), 0) > 0);
    NUMBER(lsetxattr("every.tree/file", "user.two", "second", n(6), 0) > 0);
    NUMBER(fsetxattr(file, "user.three", "third", n(5), 0) > 0);
    BUFFER(getxattr("every.tree/file", "user.one", to, n(40)));
    BUFFER(lgetxattr("every.tree/file", "user.two", to, n(40)));
    BUFFER(fgetxattr(file, "user.three", to, n(40)));
    NUMBER(listxattr("every.tree/file", to, n(60)));
    NUMBER(llistxattr("every.tree/file", to, n(60)));
    NUMBER(flistxattr(file, to, n(60)));
    NUMBER(removexattr("every.tree/file", "user.one"));
    NUMBER(lremovexattr("every.tree/file", "user.two"));
    NUMBER(fremovexattr(file, "user.three"));
    struct aiocb block = { .aio_fildes = file, .aio_buf = to, .aio_nbytes = n(9), .aio_offset = 5 };
    memset(to, 'z', 60);
    NUMBER(aio_read(&block));
    const struct aiocb *const blocks[] = { &block };
    while (aio_error(&block) == EINPROGRESS)
        aio_suspend(blocks, 1, NULL);
    NUMBER(aio_return(&block));
    TEXT((to[9] = 0, to));
    struct aiocb64 block64 = { .aio_fildes = file, .aio_buf = to, .aio_nbytes = n(7), .aio_offset = 6 };
    NUMBER(aio_read64(&block64));
    const struct aiocb64 *const blocks64[] = { &block64 };
    while (aio_error64(&block64) == EINPROGRESS)
        aio_suspend64(blocks64, 1, NULL);
    NUMBER(aio_return64(&block64));
    TEXT((to[7] = 0, to));
    close(file);
    file = open("every.tree", O_RDONLY | O_DIRECTORY);
    NUMBER(getdents64(file, to, n(sizeof to)) > 0);
    NUMBER(to[0] == to[0]);
    close(file);
    file = inotify_init();
    NUMBER(inotify_add_watch(file, "every.tree", IN_CREATE) > 0);
    close(file);
    unlink("every.tree/file");
    TEXT(strrchr(canonicalize_file_name("every.tree"), '/'));
    NUMBER(rmdir("every.tree"));
    NUMBER(strcmp(get_current_dir_name(), getwd_(to)));
    NUMBER(getlogin() == NULL);
    NUMBER(ttyname(ends[0]) == NULL);
    TEXT(ctermid(to));
    if (!openpty(&file, &other, to, NULL, NULL)) {
        NUMBER(strcmp(to, ptsname(file)));
        close(file), close(other);
    }
    file = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec limit = { { 0, 0 }, { 100, 0 } }, before = { { 7, 7 }, { 7, 7 } };
    NUMBER(timerfd_settime(file, 0, &limit, &before));
    NUMBER(before.it_value.tv_sec);
    NUMBER(timerfd_gettime(file, &before));
    NUMBER(before.it_value.tv_sec > 90);
    close(file);
    file = eventfd(3, 0);
    eventfd_t events = 77;
    NUMBER(eventfd_read(file, &events));
    NUMBER(events);
    close(file);
    sigset_t signals;
    sigemptyset(&signals);
    NUMBER(close(signalfd(-1, &signals, 0)));
    struct mq_attr attributes = { .mq_maxmsg = 4, .mq_msgsize = 64 }, old = { .mq_maxmsg = 77 };
    struct timespec time_limit = { 1, 0 };
    unsigned priority = 77;
    char queue_name[40];
    sprintf(queue_name, "/every-%d", (int)getpid());
    mqd_t queue = mq_open(queue_name, O_RDWR | O_CREAT, 0600, &attributes);
    NUMBER(mq_send(queue, "message", n(8), 3));
    NUMBER(mq_timedsend(queue, "second", n(7), 2, &time_limit));
    NUMBER(mq_getattr(queue, &old));
    NUMBER(old.mq_curmsgs);
    NUMBER(mq_setattr(queue, &attributes, &old));
    BUFFER(mq_receive(queue, to, n(64), &priority));
    NUMBER(priority);
    BUFFER(mq_timedreceive(queue, to, n(64), &priority, &time_limit));
    NUMBER(priority);
    NUMBER(mq_unlink(queue_name));
    int sockets[2];
    socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets);
    struct mmsghdr messages[2] = { { { .msg_iov = &parts[0], .msg_iovlen = 1 } },
                                   { { .msg_iov = &parts[1], .msg_iovlen = 1 } } };
    NUMBER(sendmmsg(sockets[0], messages, 2, 0));
    NUMBER(messages[0].msg_len * 10 + messages[1].msg_len);
    BUFFER(recvmmsg(sockets[1], messages, 2, 0, NULL));
    NUMBER(messages[0].msg_len * 10 + messages[1].msg_len);
    void *callers[300];
    int frames = backtrace(callers, n(20));
    NUMBER(frames > 0 ? callers[0] != NULL : 1);
    NUMBER(frames);
    NUMBER(backtrace(callers, n(1)));
    NUMBER(backtrace(callers, n(300)));
    NUMBER(backtrace(callers, n(0)));
    Dl_info symbol = { 0 };
    NUMBER(dladdr(&to, &symbol) >= 0);
    NUMBER(symbol.dli_saddr == symbol.dli_saddr);
    int images = 0;
    NUMBER(dl_iterate_phdr(of_image, &images));
    NUMBER(images > 0);
}

static void process(void)
{
    char thread[16] = "";
    NUMBER(prctl(PR_SET_NAME, "every"));
    NUMBER(prctl(PR_GET_NAME, thread));
    SAY("name", "%s", thread);
    int ends_by = -1;
    NUMBER(prctl(PR_SET_PDEATHSIG, 12));
    NUMBER(prctl(PR_GET_PDEATHSIG, &ends_by));
    NUMBER(ends_by);
    stack_t stack = { .ss_flags = SS_DISABLE }, was = { 0 };
    NUMBER(sigaltstack(&stack, &was));
    NUMBER(was.ss_flags);
    struct timex clock = { 0 };
    NUMBER(adjtimex(&clock) >= 0 ? clock.tick > 0 : 1);
    clock = (struct timex){ 0 };
    NUMBER(ntp_adjtime(&clock) >= 0 ? clock.tick > 0 : 1);
    clock = (struct timex){ 0 };
    NUMBER(clock_adjtime(CLOCK_REALTIME, &clock) >= 0 ? clock.tick > 0 : 1);
    struct timeval left = { -1, -1 };
    NUMBER(adjtime(NULL, &left) ? 0 : (int)left.tv_sec);
    struct ntptimeval precise;
    NUMBER(ntp_gettime(&precise) >= 0 ? precise.time.tv_sec > 0 : 1);
    NUMBER(ntp_gettimex(&precise) >= 0 ? precise.time.tv_sec > 0 : 1);
    struct ifaddrs *links = NULL;
    int loops = 0;
    NUMBER(getifaddrs(&links));
    for (const struct ifaddrs *one = links; one; one = one->ifa_next)
        loops += !strcmp(one->ifa_name, "lo") && one->ifa_addr && one->ifa_addr->sa_family == AF_INET
                 && ((struct sockaddr_in *)one->ifa_addr)->sin_addr.s_addr == htonl(INADDR_LOOPBACK);
    NUMBER(loops);
    freeifaddrs(links);
    NUMBER(execveat(-1, "missing", (char *[]){ "missing", NULL }, environ, 0));
}

static void streams(void)
{
    FILE *file = tmpfile64();
    fpos64_t place;
    char buffer[64], name[] = "every.XXXXXX", ended[] = "every.XXXXXX.c";
    setbuffer(file, buffer, n(sizeof buffer));
    NUMBER(putw(1234, file));
    rewind(file);
    NUMBER(fgetpos64(file, &place));
    NUMBER(getw(file));
    NUMBER(fsetpos64(file, &place));
    NUMBER(getw(file));
    fclose(file);
    file = fopen("every.wider", "w+");
    setlinebuf(file);
    NUMBER(putwc_(L'a', file));
    NUMBER(putwc_unlocked_(L'b', file));
    NUMBER(fputwc_unlocked(L'c', file));
    NUMBER(fputws_unlocked(L"def\n", file) >= 0);
    rewind(file);
    NUMBER(getwc_(file));
    NUMBER(getwc_unlocked_(file));
    NUMBER(fgetwc_unlocked(file));
    NUMBER(ungetwc(L'z', file));
    WIDE(fgetws_unlocked(wide, n(40), file));
    file = freopen64("every.wider", "r", file);
    NUMBER(fgetwc(file));
    fclose(file);
    NUMBER(unlink("every.wider"));
    NUMBER(putwchar_(L'x') == WEOF);
    NUMBER(getwchar_() == WEOF);
    NUMBER(close(mkostemp64(name, O_CLOEXEC)));
    NUMBER(strcmp(name, "every.XXXXXX") != 0 ? unlink(name) : 1);
#define SUFFIXED(CALL) do { strcpy(ended, "every.XXXXXX.c"); NUMBER(close(CALL)); NUMBER(unlink(ended)); } while (0)
    SUFFIXED(mkstemps(ended, 2));
    SUFFIXED(mkstemps64(ended, 2));
    SUFFIXED(mkostemps(ended, 2, O_CLOEXEC));
    SUFFIXED(mkostemps64(ended, 2, O_CLOEXEC));
    strcpy(name, "every.XXXXXX");
    NUMBER(strlen(mktemp_(name)));
    NUMBER(strlen(tmpnam_r_(to)) > 5);
    NUMBER(strncmp(tempnam_("/tmp", "every"), "/tmp", 4));
}

void further(void)
{
    of_threads();
    of_locks();
    of_processes();
    entries();
    texts();
    by_chance();
    files();
    process();
    streams();
}
