// Get and release memory, run threads, make system calls, and say on standard output what hooks
// have to say on standard error, in the same words; @LINE stands for the call's address.
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>
#include <wchar.h>

#include <new>

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

static const size_t TOO_MUCH = (size_t)-1 - 4096;
static volatile size_t too_much = TOO_MUCH, ten = 10, none = 0;
static char said[1 << 16], *at = said;

#define SAY(...) (at += sprintf(at, __VA_ARGS__))
#define HEX(VALUE) ((unsigned long)(VALUE))

/* What a call that stands in this line gives, or releases. */
#define GIVES(POINTER, SIZE) SAY("alloc %lx %lx @%d\n", HEX(POINTER), HEX(SIZE), __LINE__)
#define RELEASES(POINTER) SAY("release %lx @%d\n", HEX(POINTER), __LINE__)
#define KEEPS(POINTER) SAY("keep %lx @%d\n", HEX(POINTER), __LINE__)

struct alignas(64) wide {
    char bytes[128];
};

/* A call in the place of a return has the function's own caller; compilers for PowerPC make no
   such calls to functions that may lie in another file. */
enum { INSIDE = __LINE__ + 3 };
__attribute__((noinline)) static void *own(size_t size)
{
    return malloc(size);
}
#ifdef __powerpc__
#define OWN_GIVES(POINTER, SIZE) SAY("alloc %lx %lx @%d\n", HEX(POINTER), HEX(SIZE), INSIDE)
#else
#define OWN_GIVES GIVES
#endif

static void with_malloc(void)
{
    char *a, *b, *c;
    a = (char *)malloc(ten); GIVES(a, 10);
    b = (char *)calloc(ten, 3); GIVES(b, 30);
    RELEASES(a); a = (char *)realloc(a, 5000); GIVES(a, 5000);
    RELEASES(a); c = (char *)realloc(a, too_much); KEEPS(a);
    RELEASES(b); b = (char *)reallocarray(b, 7, ten); GIVES(b, 70);
    RELEASES(b); c = (char *)reallocarray(b, too_much, too_much); KEEPS(b);
    RELEASES(b); c = (char *)reallocarray(b, none, ten);
    c = (char *)malloc(too_much);
    free(c);
    c = (char *)realloc(NULL, ten); GIVES(c, 10);
    RELEASES(c); c = (char *)realloc(c, none);
    RELEASES(a); free(a);
    a = (char *)malloc(none); GIVES(a, 0);
    RELEASES(a); free(a);
    void *(*volatile pointer)(size_t) = malloc;
    a = (char *)pointer(ten); GIVES(a, 10);
    RELEASES(a); free(a);
}

static void aligned(void)
{
    void *a;
    if (!posix_memalign(&a, 64, ten)) GIVES(a, 10);
    RELEASES(a); free(a);
    posix_memalign(&a, 64, too_much);
    a = aligned_alloc(64, 128); GIVES(a, 128);
    RELEASES(a); free(a);
    a = memalign(64, ten); GIVES(a, 10);
    RELEASES(a); free(a);
    a = valloc(ten); GIVES(a, 10);
    RELEASES(a); free(a);
    a = pvalloc(ten); GIVES(a, 10);
    RELEASES(a); free(a);
}

static void texts(FILE *file)
{
    char *text, *line = NULL;
    wchar_t *wide;
    size_t size = 0;
    text = strdup("hello"); GIVES(text, 6);
    RELEASES(text); free(text);
    text = strndup("hello", 2); GIVES(text, 3);
    RELEASES(text); free(text);
    wide = wcsdup(L"hello"); GIVES(wide, 6 * sizeof *wide);
    RELEASES(wide); free(wide);
    if (asprintf(&text, "%d", 4711) > 0) GIVES(text, 5);
    RELEASES(text); free(text);
    text = realpath("/", NULL); GIVES(text, 2);
    RELEASES(text); free(text);
    getdelim(&line, &size, '\n', file); GIVES(line, size);
    RELEASES(line); getdelim(&line, &size, '\n', file); KEEPS(line);
    RELEASES(line); getdelim(&line, &size, '\n', file); GIVES(line, size);
    RELEASES(line); free(line);
}

static void operators(void)
{
    int *one, *several;
    one = new int(5); GIVES(one, 4);
    RELEASES(one); delete one;
    several = new int[ten]; GIVES(several, 40);
    RELEASES(several); delete[] several;
    wide *large = new wide(); GIVES(large, 128);
    RELEASES(large); delete large;
    one = new (std::nothrow) int(6); GIVES(one, 4);
    RELEASES(one); operator delete(one, std::nothrow);
    several = (int *)operator new(too_much, std::nothrow);
    try {
        several = (int *)operator new(too_much);
    } catch (std::bad_alloc &) {
        several = NULL;
    }
    operator delete(several);
}

static void *start(void *argument)
{
    SAY("thread 2 start\n");
    RELEASES(argument); free(argument);
    return NULL;
}

static int starts(void *)
{
    SAY("thread 3 starts\n");
    SAY("end 3\n");
    thrd_exit(0);
}

static void *is_cancelled(void *)
{
    SAY("thread 4 is_cancelled\n");
    SAY("end 4\n");
    for (;;)
        pthread_testcancel();
}

static void threads(void)
{
    pthread_t thread;
    thrd_t other;
    void *block;
    block = malloc(ten); GIVES(block, 10);
    pthread_create(&thread, NULL, start, block);
    pthread_join(thread, NULL);
    SAY("end 2\n");
    thrd_create(&other, starts, NULL);
    thrd_join(other, NULL);
    pthread_create(&thread, NULL, is_cancelled, NULL);
    while (!strstr(said, "end 4"))
        sched_yield();
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

#if defined __powerpc__
static long instruction(long number)
{
    register long call __asm__("r0") = number;
    register long result __asm__("r3") = -1;
    __asm__ volatile("sc" : "+r"(call), "+r"(result) : : "memory", "cr0", "r4", "r5", "r6", "r7",
                     "r8", "r9", "r10", "r11", "r12", "ctr", "xer");
    return result;
}
#elif defined __arch64__
#define TRAP "ta 0x6d"
#else
#define TRAP "ta 0x10"
#endif
#ifdef TRAP
static long instruction(long number)
{
    register long call __asm__("g1") = number;
    register long result __asm__("o0") = -1;
    __asm__ volatile(TRAP : "+r"(call), "+r"(result) : : "memory", "cc", "o1");
    return result;
}
#endif

static void calls(void)
{
    long result;
    SAY("call %x\n", SYS_openat);
    open("/nowhere", O_RDONLY); SAY("error %x 2\n", SYS_openat);
    SAY("call %x\n", SYS_getpid);
    result = getpid(); SAY("result %x %lx\n", SYS_getpid, result);
    SAY("call %x\n", SYS_close);
    syscall(SYS_close, -1); SAY("error %x 9\n", SYS_close);
    SAY("call %x\n", SYS_close);
    result = instruction(SYS_close); SAY("error %x %lx\n", SYS_close, result);
    SAY("call %x\n", SYS_gettid);
    result = instruction(SYS_gettid); SAY("result %x %lx\n", SYS_gettid, result);
    SAY("call %x\n", SYS_execve);
    execlp("/nowhere", "x", NULL); SAY("error %x 2\n", SYS_execve);
}

int main(void)
{
    FILE *file = tmpfile();
    void *block;
    fprintf(file, "short\nshorter\n%300s\n", "long");
    rewind(file);
    with_malloc();
    aligned();
    texts(file);
    operators();
    block = own(ten); OWN_GIVES(block, 10);
    RELEASES(block); free(block);
    threads();
    calls();
    printf("base=%#lx\n%s", HEX(__ehdr_start), said);
    return 0;
}
